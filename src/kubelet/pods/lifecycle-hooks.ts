/** Upstream: pkg/kubelet/lifecycle/handlers.go. */
import type { LifecycleHandler, Pod } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { rpcText } from "../images/image-puller.ts";
import { httpGet, httpGetRequest } from "../probes/http-get.ts";
import { type AnyContainer, describePod } from "../state/pod-containers.ts";
import type { RuntimeContext } from "./runtime-context.ts";

/** Timeout, the same as that of upstream's client. */
const httpTimeoutMs = 30 * 60_000;

interface HookTarget {
  readonly pod: Pod;
  readonly container: AnyContainer;
  readonly containerId: string;
  readonly podIP: string;
}

/** Runs a postStart or preStop handler to its end. Throws an Error with the waiting message of the container. */
export async function runHook(
  { cri, clock }: Pick<RuntimeContext, "cri" | "clock">,
  handler: LifecycleHandler,
  target: HookTarget,
  signal?: AbortSignal,
): Promise<void> {
  const where = `for Container "${target.container.name}" in Pod "${describePod(target.pod)}" failed - error:`;
  if (handler.exec) {
    const { command = [] } = handler.exec;
    const failure = await execFailure(cri, target.containerId, command, signal);
    if (failure === undefined) return;
    const { error, output } = failure;
    throw new Error(
      `Exec lifecycle hook ([${command.join(" ")}]) ${where} ${error}, message: ${goQuote(output)}`,
    );
  }
  if (handler.httpGet) {
    const { container, podIP } = target;
    try {
      const request = httpGetRequest(handler.httpGet, asContainer(container), podIP, "lifecycle");
      await httpGet(request, httpTimeoutMs, clock, signal);
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`HTTP lifecycle hook (${handler.httpGet.path ?? ""}) ${where} ${message}`);
    }
    return;
  }
  if (handler.sleep) await clock.sleep(handler.sleep.seconds * 1000, signal);
}

function asContainer(container: AnyContainer) {
  return { ...container, name: container.name };
}

async function execFailure(
  { runtime }: RuntimeContext["cri"],
  containerId: string,
  cmd: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ error: string; output: string } | undefined> {
  try {
    const { stdout, stderr, exitCode } = await runtime.ExecSync({ containerId, cmd }, { signal });
    if (exitCode === 0) return undefined;
    const output = Buffer.concat([stdout, stderr]).toString();
    const error = `command '${cmd.join(" ")}' exited with ${exitCode}: ${Buffer.from(stderr)}`;
    return { error, output };
  } catch (error) {
    return { error: rpcText(error), output: "" };
  }
}
