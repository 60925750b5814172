import type { ServerSession } from "../access/server-session.ts";
import { CommandFailure } from "../base/command-failure.ts";

/** How many objects are read at a time. */
const pageSize = 500;
/** How many are written at a time. */
const writers = 8;

interface StoredObject {
  readonly metadata: { readonly namespace: string; readonly name: string };
}

interface Page {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly StoredObject[];
}

/**
 * Writes each Secret as it is, so that the server stores it with its present key. One that another client has
 * written in the meantime, or removed, needs it no more.
 */
export async function rewriteSecrets(session: ServerSession): Promise<number> {
  let written = 0;
  for (let next: string | undefined = ""; next !== undefined; ) {
    const query = `limit=${pageSize}${next === "" ? "" : `&continue=${encodeURIComponent(next)}`}`;
    const page: Page = await session.json("GET", `/api/v1/secrets?${query}`);
    const left = [...page.items];
    const write = async () => {
      for (let one = left.pop(); one; one = left.pop()) {
        await rewrite(session, one);
        written++;
      }
    };
    await Promise.all(Array.from({ length: writers }, write));
    next = page.metadata.continue || undefined;
  }
  return written;
}

async function rewrite(session: ServerSession, object: StoredObject): Promise<void> {
  const { namespace, name } = object.metadata;
  const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
  const value = { ...object, apiVersion: "v1", kind: "Secret" };
  const { status, text } = await session.ask("PUT", path, { value });
  if (status < 300 || status === 404 || status === 409) return;
  throw new CommandFailure(`Secret ${namespace}/${name} can't be written: ${text.slice(0, 300)}`);
}
