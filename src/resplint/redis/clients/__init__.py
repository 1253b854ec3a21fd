"""What the project does with its clients besides sending commands: who connects, listens, keeps and closes them."""
