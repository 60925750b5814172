import { readFileSync } from "node:fs";
import { ociArchive } from "#/std/archive/oci-image.ts";
import { odd } from "./failure.ts";

/** The head of an ELF program for the IBM S/390: no machine that runs tests is one. */
function foreignProgram(): Buffer {
  const program = Buffer.alloc(4096);
  program.set([0x7f, 0x45, 0x4c, 0x46, 2, 2, 1]);
  program.writeUInt16BE(2, 16);
  program.writeUInt16BE(22, 18);
  program.writeUInt32BE(1, 20);
  return program;
}

/** Archives of the images that have something wrong with them. */
export function oddImages(): readonly Buffer[] {
  const busybox = { name: "bin/sh", content: readFileSync("/bin/busybox"), mode: 0o755 };
  const image = (name: string, fields: Partial<Parameters<typeof ociArchive>[0]>) =>
    ociArchive({
      name,
      architecture: process.arch,
      files: [{ name: "bin" }, busybox],
      entrypoint: ["/bin/sh", "-c", "exit 0"],
      ...fields,
    });
  return [
    image(odd.foreign, {
      files: [{ name: "app", content: foreignProgram(), mode: 0o755 }],
      entrypoint: ["/app"],
    }),
    image(odd.user, {
      files: [
        { name: "etc" },
        { name: "etc/passwd", content: Buffer.from("root:x:0:0::/:/bin/sh\n") },
      ],
      user: "nobody-here",
    }),
    image(odd.empty, { entrypoint: [] }),
  ];
}
