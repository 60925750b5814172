import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { CommandFailure } from "../base/command-failure.ts";
import {
  maxPieces,
  type NodeRequest,
  type Pieces,
  pieceBytes,
  pieceName,
} from "../node-upgrade/node-request.ts";
import { packProgram } from "../release/pack-program.ts";
import {
  installedMark,
  type ProgramFile,
  packageFiles,
  programFiles,
} from "../release/program-files.ts";

/** How a request names a program. */
export type ProgramNames = Pick<NodeRequest, "program" | "runtimes">;

/** Divides a program into pieces, by name: without Node.js, and that apart if it is wanted. */
export async function divideProgram(program: string, withNode: boolean) {
  const packages = packageFiles(program, process.arch);
  const isNode = ({ path }: ProgramFile): boolean =>
    path === `node_modules/node-linux-${process.arch}/bin/node`;
  const plain = packages.filter((file) => !isNode(file));
  const pieces = new Map<string, Buffer>();
  const files = [...programFiles(program), ...plain, installedMark];
  const names: ProgramNames = {
    program: await divide(files, pieces),
    runtimes: withNode ? { [process.arch]: await divide(packages.filter(isNode), pieces) } : {},
  };
  return { names, pieces };
}

async function divide(files: readonly ProgramFile[], pieces: Map<string, Buffer>): Promise<Pieces> {
  const whole = await buffer(packProgram(files, { folder: "", modifiedMs: 0 }));
  const sha256 = createHash("sha256").update(whole).digest("hex");
  const count = Math.ceil(whole.length / pieceBytes);
  if (count > maxPieces)
    throw new CommandFailure(`the program is too large: ${whole.length} bytes`);
  const named = { sha256, count, name: `program-${sha256.slice(0, 16)}` };
  for (let index = 0; index < count; index++) {
    const piece = whole.subarray(index * pieceBytes, (index + 1) * pieceBytes);
    pieces.set(pieceName(named, index), piece);
  }
  return named;
}
