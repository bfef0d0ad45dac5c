${includes}

${helpers}

${attribute}
${prototype}
{
${body}
}
