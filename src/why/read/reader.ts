import type { Answer, Form } from "./snapshot.ts";

/** Reads the API with the user's own rights: the edge of a diagnosis. */
export interface Reader {
  /** GET of a path with its query. Resolves whatever the status is; rejects if there was no response. */
  read(
    path: string,
    as: Form,
    signal?: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: unknown }>;
}

/** Reads one path. */
export async function readAnswer(
  reader: Reader,
  path: string,
  as: Form,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  try {
    const { status, body } = await reader.read(path, as, signal);
    return answerOf(status, body);
  } catch (error) {
    signal?.throwIfAborted();
    return { state: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

function answerOf(status: number, body: unknown): Answer {
  if (status < 300) return { state: "found", value: body };
  const given = (body as { readonly message?: unknown } | null)?.message;
  const message = typeof given === "string" ? given : `status ${status}`;
  if (status === 404) return { state: "absent", message };
  return { state: status === 401 || status === 403 ? "forbidden" : "failed", message };
}
