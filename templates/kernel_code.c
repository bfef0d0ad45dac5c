${helpers}

${many}
${attribute}
${prototype}
{
${many_call}
${body}
}
