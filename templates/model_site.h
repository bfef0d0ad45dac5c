/* ${site}: ${spec} */
#define ${macro}_WIDTH ${h}
${constants}
${functions}
