"""What a scene asks for and what it can give: power, cooling, ports, floor and money."""
