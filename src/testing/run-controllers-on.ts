import { InProcessTransport } from "#/apiserver/http/in-process-transport.ts";
import { Client } from "#/client/client.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import type { Controller } from "#/controller/controller.ts";
import { runControllers } from "#/controller/run-controllers.ts";
import { controllerFlags } from "#/controllers/base/controller-flags.ts";
import { genericFlags } from "#/controllers/base/generic-flags.ts";
import type { ManagerOptions } from "#/controllers/base/manager-options.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { admin, type TestApiServer } from "./start-api-server.ts";
import { until } from "./until.ts";

export interface RunningControllers extends AsyncDisposable {
  readonly client: Client;
  /** Recorded events: "Normal SuccessfulCreate Created pod: x". */
  readonly events: readonly string[];
  readonly until: typeof until;
}

export interface RunOptions<Options = ManagerOptions> {
  /** The controllers' options; default those of the manager with these flags. */
  readonly options?: Options;
  readonly args?: readonly string[];
  readonly clock?: Clock;
  readonly enabled?: (gate: string) => boolean;
}

/**
 * Runs controllers on a server in this process. Shared objects are frozen, so that a controller
 * that changes one fails.
 */
export function runControllersOn<Options = ManagerOptions>(
  api: TestApiServer,
  controllers: readonly Controller<Options>[],
  run: RunOptions<Options> = {},
): RunningControllers {
  const { args = [], clock = systemClock, enabled = () => true } = run;
  const stop = new AbortController();
  const client = new Client(new InProcessTransport(api.handler, { user: admin, freeze: true }));
  const events: string[] = [];
  const recorder: EventRecorder = {
    event: (_, type, reason, message) => void events.push(`${type} ${reason} ${message}`),
  };
  const flags = parseFlags({ ...controllerFlags, ...genericFlags }, args).values;
  const manager: ManagerOptions = { flags, enabled };
  const options = run.options ?? (manager as Options);
  const running = runControllers(
    controllers,
    { client, options, clock, recorderFor: () => recorder },
    stop.signal,
  );
  return {
    client,
    events,
    until,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
