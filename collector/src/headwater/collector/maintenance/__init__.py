"""What an operator does to stores that hold events: compare and repair, rebuild, copy, empty."""
