import { logCause } from "../../facts/crash.ts";

export const logLibrary = logCause({
  name: "program-misses-library",
  texts:
    /error while loading shared libraries|cannot open shared object|version [`'"]?(?:GLIBC|GLIBCXX|CXXABI|OPENSSL)_?\S* not found|Error relocating|undefined symbol|symbol not found/i,
  meaning: "a library that its program needs is not in the image, or is of another version",
  fix: ["# build the program for the image that it runs in, or add the library to the image"],
});
