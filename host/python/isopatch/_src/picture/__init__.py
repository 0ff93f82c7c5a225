"""Pictures of scenes with their contact patches, and how PyVista draws them."""
