import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream, existsSync, statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { CommandFailure } from "../base/command-failure.ts";
import { findProgram } from "../machine/find-program.ts";
import { archiveFormat, headBytes } from "./archive-format.ts";

/** Programs that store images and can save them as archives, in the order of the search. */
const engines = ["docker", "podman"];

/**
 * Writes the images of an argument of `image load` into a file, as an uncompressed archive: from standard
 * input for "-", from a file (tar, tar.gz, tar.zst), from an OCI layout folder, or from Docker or Podman.
 */
export async function saveArchive(source: string, target: string): Promise<void> {
  if (source === "-") return await unpack(process.stdin, target);
  if (!existsSync(source)) return await saveFromEngine(source, target);
  if (!statSync(source).isDirectory()) return await unpack(createReadStream(source), target);
  if (!existsSync(join(source, "oci-layout"))) {
    throw new CommandFailure(`${source} is a folder without a file oci-layout: not an OCI image`);
  }
  await saveOutput("tar", ["-C", source, "-cf", "-", "."], target);
}

/** Decompresses an archive by its content, not its file name. */
async function unpack(input: Readable | NodeJS.ReadStream, target: string): Promise<void> {
  await pipeline(input, createWriteStream(target));
  const format = archiveFormat(await headOf(target));
  if (format === "tar") return;
  if (format === "unknown") {
    throw new CommandFailure("that is no archive of images: neither tar, tar.gz nor tar.zst");
  }
  const packed = `${target}.${format}`;
  await rename(target, packed);
  const decompressor = format === "gzip" ? createGunzip() : createZstdDecompress();
  try {
    await pipeline(createReadStream(packed), decompressor, createWriteStream(target));
  } catch (error) {
    throw new CommandFailure(`the archive can't be decompressed: ${(error as Error).message}`);
  } finally {
    await rm(packed, { force: true });
  }
}

async function headOf(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return buffer.subarray(0, bytesRead);
}

async function saveFromEngine(image: string, target: string): Promise<void> {
  const installed = engines.filter((engine) => findProgram(engine));
  const errors: string[] = [];
  for (const engine of installed) {
    try {
      return await saveOutput(engine, ["save", image], target);
    } catch (error) {
      errors.push((error as Error).message);
    }
  }
  const looked =
    installed.length === 0 ? "neither Docker nor Podman is installed" : errors.join("; ");
  throw new CommandFailure(`there is no file ${image}, and no such image: ${looked}`);
}

/** Writes the output of a program into a file; throws the program's last error line. */
async function saveOutput(program: string, args: readonly string[], target: string) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const [code, stderr] = await Promise.all([
    once(child, "close").then(([status]) => status as number | null),
    textOf(child),
    pipeline(child.stdout, createWriteStream(target)),
  ]);
  if (code !== 0) throw new Error(`${program}: ${stderr.trim().split("\n").at(-1)}`);
}

async function textOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<string> {
  let text = "";
  for await (const chunk of child.stderr.setEncoding("utf8")) text += chunk;
  return text;
}
