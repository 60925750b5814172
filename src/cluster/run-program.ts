import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs a program to its end, and returns what it wrote; throws with its own words if it fails. */
export async function runProgram([file = "", ...args]: readonly string[]): Promise<string> {
  try {
    return (await run(file, args)).stdout;
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim();
    throw new Error(`${file} ${args.join(" ")}: ${said || (error as Error).message}`, {
      cause: error,
    });
  }
}
