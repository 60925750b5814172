import { writeFileSync } from "node:fs";
import { webImage } from "../e2e/machine.ts";

/** `node test/fresh/write-image.ts NAME FILE` writes an image with a small web server. */
const [name = "", file = ""] = process.argv.slice(2);
writeFileSync(file, webImage(name));
