"""What code borrows or opens and has to give back, and on which ways out it does not."""
