import { join } from "node:path";
import {
  clusterHistories,
  clusterJourneys,
  histories,
  journeys,
  steps,
  traces,
} from "#/machinery/journey/handles.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { PreciseClock } from "#/std/time/precise-clock.ts";
import { ensureBootstrapPolicy } from "../auth/rbac/ensure-bootstrap-policy.ts";
import type { Handler } from "../model/exchange.ts";
import type { Registry } from "../registry/registry.ts";
import { serveVirtual } from "./declare-resource.ts";
import { History } from "./history.ts";
import { Journal } from "./journal.ts";
import { JournalFiles } from "./journal-files.ts";
import { journeyPolicy } from "./journey-policy.ts";
import { HistoryKeeper } from "./keep-history.ts";
import { getHistory, type HistorySources, listHistory } from "./read-history.ts";
import { getJourney, type JourneySources, listJourneys, watchJourneys } from "./read-journeys.ts";
import { receiveSpans } from "./receive-spans.ts";
import { receiveSteps } from "./receive-steps.ts";
import { RequestRecorder } from "./record-requests.ts";
import { SegmentLog } from "./segment-log.ts";
import { SpanStore } from "./span-store.ts";

const log = logger("journey");

/** Limit of journeys on disk (bytes). */
const diskBytes = 256 << 20;
/** Limits of the versions of objects, in memory and on disk (bytes): some hours of a usual cluster. */
const historyBytes = 32 << 20;
const historyDiskBytes = 128 << 20;
/** Size of one file (bytes). */
const segmentBytes = 16 << 20;

interface JourneyOptions {
  readonly clock: Clock;
  /** The folder for the files; undefined keeps journeys in memory only. */
  readonly directory: string | undefined;
  /** Whether versions of objects may be written to files: not if the store is encrypted. Default true. */
  readonly writesObjects?: boolean;
  /** Whether applications may report spans. Default true. */
  readonly takesSpans?: boolean;
  /** Limit of journeys in memory (bytes); default is 32 MiB, about 20,000 Pods. */
  readonly memoryBytes?: number;
}

/** The recording of journeys, and the resources that show them. */
export interface Journeys extends AsyncDisposable {
  readonly recorder: RequestRecorder;
  /** Memory of records, and of versions of objects, measured roughly. */
  readonly heldBytes: { readonly steps: number; readonly versions: number };
  /** Serves the group; to be called before the policy. */
  serve(registry: Registry): Promise<void>;
  /** Stores the roles of the group. */
  ensurePolicy(handler: Handler, registry: Registry): Promise<void>;
}

/** Opens the journal. What was recorded before the last restart is read when a client asks for the first time. */
export async function openJourneys(options: JourneyOptions): Promise<Journeys> {
  const { clock, directory, memoryBytes = 32 << 20 } = options;
  const journal = new Journal(memoryBytes);
  const file = directory && (await openLog(join(directory, "steps"), "records", diskBytes, clock));
  const files = file
    ? new JournalFiles({ journal, log: file, clock, earlierBytes: memoryBytes })
    : undefined;
  const { history, keeper, versions } = await openHistory(options);
  const recorder = new RequestRecorder({ clock, journal, onCommit: keeper.keep });
  const spans = new SpanStore();
  const sources = { journal, files, spans, clock, history, keeper };
  return {
    recorder,
    get heldBytes() {
      return { steps: journal.sizeBytes, versions: history.sizeBytes };
    },
    async serve(registry) {
      recorder.follow(registry.catalog);
      await serveGroup(registry, sources);
      if (options.takesSpans ?? true) await serveSpans(registry, spans);
    },
    ensurePolicy: (handler, registry) =>
      ensureBootstrapPolicy({ handler, registry }, journeyPolicy),
    [Symbol.asyncDispose]: async () => {
      await files?.[Symbol.asyncDispose]();
      await versions?.[Symbol.asyncDispose]();
    },
  };
}

/** The versions of objects. */
async function openHistory({ clock, directory, writesObjects = true }: JourneyOptions) {
  const isKept = directory !== undefined && writesObjects;
  const versions = isKept
    ? await openLog(join(directory, "history"), "jsonl", historyDiskBytes, clock)
    : undefined;
  const history = new History(historyBytes);
  const keeper = new HistoryKeeper(history, versions, { clock, earlierBytes: historyBytes });
  return { history, keeper, versions };
}

/** The files; without them, a server that can't write there keeps journeys in memory. */
async function openLog(
  directory: string,
  extension: string,
  maxBytes: number,
  clock: Clock,
): Promise<SegmentLog | undefined> {
  const onError = (error: unknown) => log.error(error, "failed to write journeys", { directory });
  try {
    const limits = { maxBytes, segmentBytes, clock };
    return await SegmentLog.open({ directory, extension, ...limits, onError });
  } catch (error) {
    onError(error);
    return undefined;
  }
}

async function serveGroup(
  registry: Registry,
  sources: JourneySources & HistorySources,
): Promise<void> {
  const { catalog } = registry;
  for (const handle of [journeys, clusterJourneys]) {
    await serveVirtual(registry, handle, {
      get: (request) => getJourney(request, sources),
      list: (request) => listJourneys(request, sources),
      watch: (request) => watchJourneys(request, sources),
    });
  }
  for (const handle of [histories, clusterHistories]) {
    await serveVirtual(registry, handle, {
      get: (request) => getHistory(request, sources),
      list: (request) => listHistory(request, sources),
    });
  }
  const precise = new PreciseClock(sources.clock);
  await serveVirtual(registry, steps, {
    create: (request) => receiveSteps(request, { ...sources, catalog, precise }),
  });
}

const serveSpans = (registry: Registry, spans: SpanStore): Promise<void> =>
  serveVirtual(registry, traces, {
    create: (request) => receiveSpans(request, { spans, catalog: registry.catalog }),
  });
