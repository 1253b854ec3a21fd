"""What the parts of resplint hand to each other: facts, findings, remedies, comments, errors."""
