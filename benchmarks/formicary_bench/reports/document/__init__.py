"""What a report says: sections, sentences, tables, remarks; the same in every format."""
