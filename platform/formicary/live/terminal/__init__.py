"""The live view in a terminal (Textual).

- `app`: the application: what is fed to it, and its keys
- `tables`: what its tables say
- `dialogs`: what is asked of the user, and the details of something
- `asking`: what a user types: filters, and what is to be done
"""
