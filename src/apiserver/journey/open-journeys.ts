import { join } from "node:path";
import {
  clusterHistories,
  clusterJourneys,
  histories,
  journeys,
  steps,
} from "#/machinery/journey/handles.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { ensureBootstrapPolicy } from "../auth/rbac/ensure-bootstrap-policy.ts";
import type { Handler } from "../model/exchange.ts";
import type { Registry } from "../registry/registry.ts";
import { serveVirtual } from "./declare-resource.ts";
import { History } from "./history.ts";
import { Journal, parseLine } from "./journal.ts";
import { journeyPolicy } from "./journey-policy.ts";
import { HistoryKeeper } from "./keep-history.ts";
import { getHistory, type HistorySources, listHistory } from "./read-history.ts";
import { getJourney, type JourneySources, listJourneys, watchJourneys } from "./read-journeys.ts";
import { receiveSteps } from "./receive-steps.ts";
import { RequestRecorder } from "./record-requests.ts";
import { SegmentLog } from "./segment-log.ts";

const log = logger("journey");

/** Limit of journeys in memory (bytes): about 20,000 Pods. */
const memoryBytes = 32 << 20;
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
}

/** The recording of journeys, and the resources that show them. */
export interface Journeys extends AsyncDisposable {
  readonly recorder: RequestRecorder;
  /** Serves the group; to be called before the policy. */
  serve(registry: Registry): Promise<void>;
  /** Stores the roles of the group. */
  ensurePolicy(handler: Handler, registry: Registry): Promise<void>;
}

/** Opens the journal, with what was recorded before the last restart. */
export async function openJourneys(options: JourneyOptions): Promise<Journeys> {
  const { clock, directory } = options;
  const journal = new Journal(memoryBytes);
  const file =
    directory === undefined ? undefined : await openLog(join(directory, "steps"), diskBytes, clock);
  if (file) await reload(journal, file);
  const { history, keeper, versions } = await openHistory(options);
  const onCommit = keeper.keep;
  const recorder = new RequestRecorder({ clock, journal, log: file, onCommit });
  const sources = { journal, log: file, clock, history };
  return {
    recorder,
    async serve(registry) {
      recorder.follow(registry.catalog);
      await serveGroup(registry, sources);
    },
    ensurePolicy: (handler, registry) =>
      ensureBootstrapPolicy({ handler, registry }, journeyPolicy),
    [Symbol.asyncDispose]: async () => {
      await file?.[Symbol.asyncDispose]();
      await versions?.[Symbol.asyncDispose]();
    },
  };
}

/** The versions of objects, with those of before the last restart. */
async function openHistory({ clock, directory, writesObjects = true }: JourneyOptions) {
  const isKept = directory !== undefined && writesObjects;
  const versions = isKept
    ? await openLog(join(directory, "history"), historyDiskBytes, clock)
    : undefined;
  const history = new History(historyBytes);
  const keeper = new HistoryKeeper(history, versions, clock);
  await keeper.reload(historyBytes);
  return { history, keeper, versions };
}

/** The files; without them, a server that can't write there keeps journeys in memory. */
async function openLog(
  directory: string,
  maxBytes: number,
  clock: Clock,
): Promise<SegmentLog | undefined> {
  const onError = (error: unknown) => log.error(error, "failed to write journeys", { directory });
  try {
    const limits = { maxBytes, segmentBytes, clock };
    return await SegmentLog.open({ directory, ...limits, onError });
  } catch (error) {
    onError(error);
    return undefined;
  }
}

async function reload(journal: Journal, file: SegmentLog): Promise<void> {
  for await (const text of file.newest(memoryBytes)) {
    const line = parseLine(text);
    if (line) journal.add(line, text);
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
  await serveVirtual(registry, steps, {
    create: (request) => receiveSteps(request, { ...sources, catalog }),
  });
}
