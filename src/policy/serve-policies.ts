import { Informers } from "#/client/informers/informers.ts";
import type { Registry } from "#/std/metrics/metrics.ts";
import { splitHostPort } from "#/std/net/host-port.ts";
import { type EndpointHandler, keepServing } from "#/std/net/http-endpoint.ts";
import type { Enforcement, EnforcementOptions } from "./enforcement.ts";
import { removeTables } from "./kernel/remove-tables.ts";
import { PolicySources } from "./policy-source.ts";

interface ServeOptions extends EnforcementOptions {
  readonly registry: Registry;
  readonly statusAddress: string;
}

/** An enforcement that runs. */
interface Running {
  readonly enforcement: Enforcement;
  readonly ended: Promise<void>;
  stop(): void;
}

/**
 * Enforces policies until the signal aborts. Without any, it only waits for one: its modules are not loaded, and no Pods
 * are read.
 */
export async function servePolicies(options: ServeOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, log, run } = options;
  const informers = new Informers(client, signal, { clock });
  let wake = Promise.withResolvers<void>();
  const sources = new PolicySources(informers, () => wake.resolve());
  let running: Running | undefined;
  let isReady = false;
  await using _status = serveStatus(
    options,
    () => isReady && running?.enforcement.isInForce !== false,
    signal,
  );
  signal.addEventListener("abort", () => wake.resolve(), { once: true });
  await sources.synced(clock, signal);
  let isFirst = true;
  while (!signal.aborted) {
    wake = Promise.withResolvers<void>();
    const policies = sources.list();
    countPolicies(options, policies);
    if (policies.length > 0) {
      running ??= await startEnforcement(options, signal);
      running.enforcement.setPolicies(policies);
    } else if (running || isFirst) {
      running?.stop();
      await running?.ended;
      running = undefined;
      await removeTables(run);
      log.info("there are no network policies");
    }
    isFirst = false;
    isReady = true;
    await Promise.race([wake.promise, ...(running ? [running.ended] : [])]);
  }
  await running?.ended;
}

async function startEnforcement(options: ServeOptions, signal: AbortSignal): Promise<Running> {
  const { Enforcement } = await import("./enforcement.ts");
  const stop = new AbortController();
  const enforcement = new Enforcement(options);
  const ended = enforcement.run(AbortSignal.any([signal, stop.signal]));
  // The caller waits for it, and sees its failure then.
  ended.catch(() => undefined);
  options.log.info("enforcing network policies");
  return { enforcement, ended, stop: () => stop.abort(new Error("there are no policies")) };
}

function countPolicies(
  { metrics }: ServeOptions,
  policies: readonly { source: { kind: string } }[],
) {
  const counts = Map.groupBy(policies, ({ source }) => source.kind);
  for (const kind of ["NetworkPolicy", ...counts.keys()]) {
    metrics.policies.with({ kind }).set(counts.get(kind)?.length ?? 0);
  }
}

function serveStatus(
  { statusAddress, registry, clock, log }: ServeOptions,
  isReady: () => boolean,
  signal: AbortSignal,
): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  const address = splitHostPort(statusAddress);
  if (!address) return stack;
  const handler: EndpointHandler = (path) => {
    if (path === "/healthz") return { body: "ok" };
    if (path === "/readyz") {
      return isReady() ? { body: "ok" } : { status: 503, body: "policies are not in force yet" };
    }
    return path === "/metrics" ? { body: registry.expose() } : undefined;
  };
  const onFailure = (error: unknown): void => log.error(error, "failed to serve status");
  stack.use(keepServing(address, handler, { clock, signal, onFailure }));
  return stack;
}
