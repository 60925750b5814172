import { getHeapSnapshot } from "node:v8";
import { type ProfileKind, startProfile } from "#/std/process/profile.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Paths } from "../http/paths.ts";
import { bytesReply, type Exchange, type Reply } from "../model/exchange.ts";

const root = "/debug/pprof";
const defaultSeconds = 30;

interface Offer {
  readonly name: string;
  readonly help: string;
  readonly answer: (exchange: Exchange, clock: Clock) => Promise<Reply>;
}

const offers: readonly Offer[] = [
  {
    name: "profile",
    help: "Where time goes, for as many ?seconds= as you like (30). A .cpuprofile, for V8's tools.",
    answer: recording("cpu", "profile.cpuprofile"),
  },
  {
    name: "allocs",
    help: "Who allocates how much, during so many ?seconds= (30). A .heapprofile, for V8's tools.",
    answer: recording("allocations", "allocs.heapprofile"),
  },
  {
    name: "heap",
    help: "What was allocated during so many ?seconds= (30) and is still used, without its content. A .heapprofile.",
    answer: recording("heap", "heap.heapprofile"),
  },
];

/**
 * Has the content of every object in memory, Secrets included, and no request is served while it is made: not for
 * holders of a permission on profiles, only for root at the debug socket (--debug-socket-path).
 */
const snapshot: Offer = {
  name: "heapsnapshot",
  help: "Everything in memory. A .heapsnapshot, for V8's tools. No request is served while it is made.",
  answer: async () => ({
    status: 200,
    headers: attachment("heap.heapsnapshot"),
    body: {
      type: "stream",
      async write(sink) {
        for await (const chunk of getHeapSnapshot()) {
          if (sink.signal.aborted) return;
          if (!sink.write(chunk as Buffer)) await sink.drained();
        }
      },
    },
  }),
};

/**
 * Serves profiles of this process, in Node's formats.
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/routes/profiling.go.
 */
export function addProfiles(paths: Paths, clock: Clock, withSnapshot = false): void {
  const offered = withSnapshot ? [...offers, snapshot] : offers;
  paths.addUnlisted(root, async ({ method }) => redirect(method));
  paths.addUnlisted(`${root}/`, async () => index(offered));
  paths.addPrefix(`${root}/`, async (exchange) => {
    const name = exchange.path.slice(root.length + 1);
    const offer = offered.find((candidate) => candidate.name === name);
    if (offer) return offer.answer(exchange, clock);
    return bytesReply(404, "text/plain; charset=utf-8", Buffer.from("Unknown profile\n"));
  });
}

/** As in Go, only responses of GET and HEAD have a body with a link. */
function redirect(method: string): Reply {
  const location = `${root}/`;
  if (method !== "GET" && method !== "HEAD") {
    return { status: 302, headers: { location }, body: { type: "bytes", chunks: [] } };
  }
  const text = Buffer.from(`<a href="${location}">Found</a>.\n\n`);
  return bytesReply(302, "text/html; charset=utf-8", text, { location });
}

function index(offered: readonly Offer[]): Reply {
  const items = offered.map(({ name, help }) => `<li><a href="${name}">${name}</a>: ${help}</li>`);
  const text = `<!doctype html>\n<title>${root}/</title>\n<ul>\n${items.join("\n")}\n</ul>\n`;
  return bytesReply(200, "text/html; charset=utf-8", Buffer.from(text));
}

function recording(kind: ProfileKind, file: string): Offer["answer"] {
  return async ({ query, signal }, clock) => {
    const asked = Number(query.get("seconds"));
    const seconds = Number.isInteger(asked) && asked > 0 ? asked : defaultSeconds;
    using profile = await startProfile(kind);
    // It also ends when the client disconnects.
    await clock.sleep(seconds * 1000, signal).catch(() => undefined);
    const chunks = [Buffer.from(JSON.stringify(await profile.finish()))];
    return { status: 200, headers: attachment(file), body: { type: "bytes", chunks } };
  };
}

function attachment(file: string): Record<string, string> {
  return {
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="${file}"`,
    "x-content-type-options": "nosniff",
  };
}
