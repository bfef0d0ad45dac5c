${helpers}

${attribute}
${prototype}
{
${body}
}
