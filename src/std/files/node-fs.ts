/**
 * node:fs. Importing that as a module makes Node look at all it has, and so load its streams and promises too, which take
 * longer than everything else of it: this is for who must start quickly and only reads a few files.
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
