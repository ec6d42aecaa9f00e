"""What a report of any binary channel tells: information, bounds, random cases; and rankings."""
