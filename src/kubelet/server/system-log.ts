import { readLogFile } from "#/std/log/log-files.ts";
import { HttpProblem, type Reply } from "./reply.ts";

/** Files and directories below /var/log. */
export async function systemLog(path: string): Promise<Reply> {
  const file = await readLogFile(path);
  if (!file) throw new HttpProblem(404, "404 page not found\n");
  return { headers: { "content-type": file.contentType }, body: file.body };
}
