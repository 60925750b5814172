import type { HostileParser } from "#/testing/hostile/hostile-parser.ts";
import { codecParsers } from "./codecs.ts";
import { fileParsers } from "./files.ts";
import { partParsers } from "./parts.ts";
import { patchParsers } from "./patches.ts";
import { streamParsers } from "./streams.ts";
import { wordParsers } from "./words.ts";
import { x509Parsers } from "./x509.ts";

/** Every parser of bytes from outside. */
export const parsers: readonly HostileParser[] = [
  ...x509Parsers,
  ...streamParsers,
  ...codecParsers,
  ...patchParsers,
  ...wordParsers,
  ...fileParsers,
  ...partParsers,
];
