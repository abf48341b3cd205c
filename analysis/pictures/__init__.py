"""Pictures of what a results folder holds. Nothing here is computed that the simulator writes."""
