    if (rows >= ${rows}) {
        ${call}
        return;
    }
