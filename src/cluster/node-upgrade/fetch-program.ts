import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, link, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { ensureFolder, traverseOnly } from "../base/write-file.ts";
import {
  type InstalledProgram,
  installProgram,
  programIn,
  readDigest,
  unpackProgram,
} from "../release/install-program.ts";
import { ownRoot, versionsFolder } from "../release/versions.ts";
import { maxPieces, type NodeRequest, type Pieces, pieceKey, pieceName } from "./node-request.ts";

/** Reads a ConfigMap of the requests' namespace. */
type ReadConfigMap = (name: string) => Promise<unknown>;

const nodeProgram = `node_modules/node-linux-${process.arch}/bin/node`;

/** Installs the program that a request names beside the node's own, unless it is there. */
export async function fetchProgram(
  paths: ClusterPaths,
  request: NodeRequest,
  read: ReadConfigMap,
): Promise<InstalledProgram> {
  const versions = versionsFolder(paths);
  const there = join(versions, request.folder);
  if (existsSync(there) && readDigest(there) === request.digest) return programIn(there);
  if (!request.program) throw new CommandFailure(`${there} is missing`);
  const fresh = join(versions, ".fetched");
  await rm(fresh, { recursive: true, force: true });
  await ensureFolder(paths.folder, traverseOnly);
  await mkdir(fresh, { recursive: true, mode: 0o755 });
  try {
    await unpackProgram(Readable.from([await wholeOf(request.program, read)]), fresh, false);
    await addNode(request, fresh, read);
    const installed = await installProgram(paths, fresh);
    if (readDigest(installed.folder) !== request.digest) {
      throw new CommandFailure(
        `the program that was fetched is not ${request.version}, as it should be`,
      );
    }
    return installed;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Node.js rarely changes between two versions: the node's own is taken if it is the same. */
async function addNode(request: NodeRequest, fresh: string, read: ReadConfigMap): Promise<void> {
  const place = join(fresh, nodeProgram);
  await mkdir(dirname(place), { recursive: true, mode: 0o755 });
  const sums = readFileSync(join(fresh, "bin/node.sha256"), "utf8").split("\n");
  const wanted = sums.find((line) => line.endsWith(`-linux-${process.arch}/bin/node`));
  const own = join(ownRoot, nodeProgram);
  const ownSums = readFileSync(join(ownRoot, "bin/node.sha256"), "utf8").split("\n");
  if (wanted !== undefined && ownSums.includes(wanted)) {
    await link(own, place).catch(() => copyFile(own, place));
    return;
  }
  const pieces = request.runtimes[process.arch];
  if (!pieces) {
    throw new CommandFailure(
      `the release has no Node.js for ${process.arch}: upgrade this machine with a tarball for it`,
    );
  }
  await unpackProgram(Readable.from([await wholeOf(pieces, read)]), fresh, false);
}

/** Joins the pieces of a tarball, and checks it. */
async function wholeOf(pieces: Pieces, read: ReadConfigMap): Promise<Buffer> {
  if (pieces.count > maxPieces) throw new CommandFailure(`${pieces.count} pieces are too many`);
  const parts: Buffer[] = [];
  for (let index = 0; index < pieces.count; index++) {
    const name = pieceName(pieces, index);
    const { binaryData } = (await read(name)) as { binaryData?: Record<string, string> };
    parts.push(Buffer.from(binaryData?.[pieceKey] ?? "", "base64"));
  }
  const whole = Buffer.concat(parts);
  if (createHash("sha256").update(whole).digest("hex") !== pieces.sha256) {
    throw new CommandFailure(`${pieces.name} is damaged: its checksum is wrong`);
  }
  return whole;
}
