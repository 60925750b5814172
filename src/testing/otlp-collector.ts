import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RequestOut } from "#/std/grpc/grpc.ts";
import { TraceService } from "#/std/trace/trace-service.ts";
import { implement, serve } from "./grpc-server.ts";

type Export = RequestOut<(typeof TraceService)["methods"]["Export"]>;
type ReceivedSpan = Export["resourceSpans"][number]["scopeSpans"][number]["spans"][number];

/** A collector of spans (OTLP over gRPC). */
export interface OtlpCollector extends AsyncDisposable {
  /** The endpoint of a TracingConfiguration. */
  readonly endpoint: string;
  /** All spans that it has received. */
  spans(): readonly ReceivedSpan[];
}

/** Starts a collector at a socket of its own. */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const directory = await mkdtemp(join(tmpdir(), "otlp-"));
  const socket = join(directory, "collector");
  const received: Export[] = [];
  const collector = implement(TraceService, {
    Export: async (request) => {
      received.push(request);
      return {};
    },
  });
  const server = await serve({ address: `unix:${socket}`, services: [collector] });
  return {
    endpoint: `unix://${socket}`,
    spans: () =>
      received.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

/** The attributes of a received span, by name. */
export const spanAttributes = ({ attributes }: ReceivedSpan): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value?.value]));
