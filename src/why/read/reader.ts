import type { Answer, Form } from "./snapshot.ts";

/** Reads the API with the user's own rights: the edge of a diagnosis. */
export interface Reader {
  /** GET of a path with its query. Resolves whatever the status is; rejects if there was no response. */
  read(
    path: string,
    as: Exclude<Form, "connect" | "reach">,
    signal?: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: unknown }>;
  /**
   * Connects to a Pod's port through its `portforward` and sends nothing; resolves with the error, "" if there is none.
   * Optional: without it, nothing is said about ports.
   */
  connect?(path: string, signal?: AbortSignal): Promise<string>;
  /** Connects to a Pod's port at the Pod's address, by a GET of its `proxy`; otherwise as connect(). */
  reach?(path: string, signal?: AbortSignal): Promise<string>;
}

/** Limit of the objects of one list (count), unless the caller sets one: what is beyond it is not looked at. */
const defaultMaxObjects = 20_000;

interface ReadOptions {
  readonly reader: Reader;
  readonly signal?: AbortSignal;
  readonly maxObjects?: number;
}

/** Reads one path; a list with its further pages. */
export async function readAnswer(path: string, as: Form, options: ReadOptions): Promise<Answer> {
  const { reader, signal } = options;
  try {
    if (as === "connect") return connected(await reader.connect?.(path, signal));
    if (as === "reach") return connected(await reader.reach?.(path, signal));
    const { status, body } = await reader.read(path, as, signal);
    const answer = answerOf(status, body);
    return answer.state === "found" ? await wholeList(path, answer, options) : answer;
  } catch (error) {
    signal?.throwIfAborted();
    return { state: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

const connected = (value: string | undefined): Answer =>
  value === undefined
    ? { state: "failed", message: "ports are not tried" }
    : { state: "found", value };

interface Page {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly unknown[] | null;
}

/** A list and its further pages as one; it keeps its mark if there are more than the limit, or they cannot be read. */
async function wholeList(
  path: string,
  first: Extract<Answer, { state: "found" }>,
  { reader, signal, maxObjects = defaultMaxObjects }: ReadOptions,
): Promise<Answer> {
  let page = (first.value ?? {}) as Page;
  if (!page.metadata?.continue || !Array.isArray(page.items)) return first;
  const items = [...page.items];
  while (page.metadata?.continue && items.length < maxObjects) {
    const next = `${path}&continue=${encodeURIComponent(page.metadata.continue)}`;
    const { status, body } = await reader.read(next, "json", signal);
    // A page that has expired (410) ends the list here.
    if (status >= 300) break;
    page = body as Page;
    items.push(...(page.items ?? []));
  }
  return { state: "found", value: { ...page, items } };
}

function answerOf(status: number, body: unknown): Answer {
  if (status < 300) return { state: "found", value: body };
  const given = (body as { readonly message?: unknown } | null)?.message;
  const message = typeof given === "string" ? given : `status ${status}`;
  if (status === 404) return { state: "absent", message };
  return { state: status === 401 || status === 403 ? "forbidden" : "failed", message };
}
