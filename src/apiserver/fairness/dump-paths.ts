/** Upstream: staging/src/k8s.io/apiserver/pkg/util/flowcontrol/apf_controller_debug.go. */
import { formatDuration } from "#/std/go/duration.ts";
import type { Paths } from "../http/paths.ts";
import { bytesReply, type Exchange, type Reply } from "../model/exchange.ts";
import type { Fairness } from "./fairness.ts";
import type { PriorityLevel } from "./priority-level.ts";

const root = "/debug/api_priority_and_fairness";

/**
 * Debug dumps of levels, queues and requests. Running requests are in no queue here, so only waiting ones are listed.
 */
export function addFairnessDumps(paths: Paths, fairness: Fairness): void {
  const levels = () => [...fairness.levels].sort((a, b) => (a.name < b.name ? -1 : 1));
  paths.addUnlisted(`${root}/dump_priority_levels`, async () =>
    table(levelColumns, levels().map(levelRow)),
  );
  paths.addUnlisted(`${root}/dump_queues`, async () =>
    table(queueColumns, levels().flatMap(queueRows)),
  );
  paths.addUnlisted(`${root}/dump_requests`, async ({ query }: Exchange) => {
    const detailed = query.get("includeRequestDetails") ? detailColumns : [];
    const rows = levels().flatMap((level) => requestRows(level, detailed.length > 0));
    return table([...requestColumns, ...detailed], rows);
  });
}

const levelColumns = [
  ...["PriorityLevelName", "ActiveQueues", "IsIdle", "IsQuiescing", "WaitingRequests"],
  ...["ExecutingRequests", "DispatchedRequests", "RejectedRequests", "TimedoutRequests"],
  "CancelledRequests",
];

function levelRow(level: PriorityLevel): (string | number | boolean)[] {
  const { name, queues, queued, executing, dispatched, refused } = level;
  const active = queues.filter(({ waiting }) => waiting.length > 0).length;
  const isIdle = queued === 0 && executing === 0;
  const rejected = refused["queue-full"] + refused["concurrency-limit"];
  const refusals = [rejected, refused["time-out"], refused.cancelled];
  return [name, active, isIdle, false, queued, executing, dispatched, ...refusals];
}

const queueColumns = [
  ...["PriorityLevelName", "Index", "PendingRequests", "ExecutingRequests", "SeatsInUse"],
  ...["NextDispatchR", "InitialSeatsSum", "MaxSeatsSum", "TotalWorkSum"],
];

function queueRows({ name, queues }: PriorityLevel): (string | number)[][] {
  const nothing = "0.00000000ss";
  return queues.map(({ waiting }, index) => {
    const seats = waiting.reduce((sum, request) => sum + request.seats, 0);
    return [name, index, waiting.length, 0, 0, nothing, seats, seats, nothing];
  });
}

const requestColumns = [
  ...["PriorityLevelName", "FlowSchemaName", "QueueIndex", "RequestIndexInQueue"],
  ...["FlowDistingsher", "ArriveTime", "InitialSeats", "FinalSeats", "AdditionalLatency"],
  "StartTime",
];
const detailColumns = [
  ...["UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"],
];

/** Go's text of a zero time. */
const never = "0001-01-01T00:00:00Z";

function requestRows({ name, queues }: PriorityLevel, detailed: boolean): (string | number)[][] {
  return queues.flatMap(({ waiting }, queue) =>
    waiting.map(({ who, seats, arrivedMs }, place) => {
      const { verb, path, namespace, name: object, apiGroup, apiVersion } = who.info;
      const version = apiGroup === "" ? apiVersion : `${apiGroup}/${apiVersion}`;
      const { resource, subresource } = who.info;
      const arrived = new Date(arrivedMs).toISOString();
      const flow = [name, who.schema, queue, place, who.distinguisher];
      const row = [...flow, arrived, seats, 0, formatDuration(0), never];
      if (!detailed) return row;
      return [...row, who.user, verb, path, namespace, object, version, resource, subresource];
    }),
  );
}

/** Columns separated by commas and aligned, as by Go's tabwriter. */
function table(
  columns: readonly string[],
  rows: readonly (readonly (string | number | boolean)[])[],
): Reply {
  const lines = [columns, ...rows.map((row) => row.map(String))];
  const widths = columns.map((_, index) =>
    Math.max(minColumn, ...lines.map((line) => (line[index] ?? "").length + 2)),
  );
  const text = lines.map((line) =>
    line
      .map((cell, index) =>
        index === line.length - 1 ? cell : `${cell},`.padEnd(widths[index] ?? 0),
      )
      .join(""),
  );
  return bytesReply(200, "text/plain; charset=utf-8", Buffer.from(`${text.join("\n")}\n`));
}

const minColumn = 8;
