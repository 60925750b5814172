/** What kubectl uses of Node's "fs/promises", on the page's own files. */
import * as sync from "./fs.ts";

export const readFile = async (...given: Parameters<typeof sync.readFileSync>) =>
  sync.readFileSync(...given);
export const writeFile = async (...given: Parameters<typeof sync.writeFileSync>) =>
  sync.writeFileSync(...given);
export const readdir = async (...given: Parameters<typeof sync.readdirSync>) =>
  sync.readdirSync(...given);
export const stat = async (...given: Parameters<typeof sync.statSync>) => sync.statSync(...given);
export const lstat = stat;
export const mkdir = async (...given: Parameters<typeof sync.mkdirSync>) =>
  sync.mkdirSync(...given);
export const rename = async (...given: Parameters<typeof sync.renameSync>) =>
  sync.renameSync(...given);
export const rm = async (...given: Parameters<typeof sync.rmSync>) => sync.rmSync(...given);
export const unlink = async (path: string) => sync.unlinkSync(path);
export const mkdtemp = async (prefix: string) => sync.mkdtempSync(prefix);
export const chmod = async (): Promise<void> => undefined;
