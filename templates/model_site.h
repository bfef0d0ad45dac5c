/* ${site}: ${spec} */
#define ${macro}_WIDTH ${h}
${eps}
${functions}
