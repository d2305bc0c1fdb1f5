"""The live view in a terminal (Textual).

- `app`: the application and its keys
- `tables`: the rows of its tables
- `dialogs`: dialogs: questions to the user, parsing of the answers, and details
"""
