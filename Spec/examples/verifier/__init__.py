"""The parts of verify_bundle.py."""
