    def ${name}(${parameters}):
        """${spec}: ${title}, ${formula}.

        ${notes}
        """
        return self._call("${name}", ${arguments})
