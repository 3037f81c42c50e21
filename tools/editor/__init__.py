"""The picture of completion: Monaco, the editor of VS Code, with the answers of taplo."""
