/**
 * node:fs. An import as a module makes Node read all its properties, and so load its streams and
 * promises too, which takes longer than the rest: this is for programs that must start quickly and
 * only read a few files.
 */
export const {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} = process.getBuiltinModule("node:fs");
