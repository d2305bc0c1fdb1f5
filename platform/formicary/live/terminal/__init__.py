"""The live view in a terminal (Textual).

- `app`: the application and its keys
- `tables`: the rows of its tables
- `dialogs`: dialogs: questions to the user, and details
- `asking`: parsing of what a user types: filters and actions
"""
