"""Pictures of scenes with their contact patches, and how VTK draws them."""
