import { useComputed, useSignal } from "@preact/signals";
import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import { useWhileShown } from "../base/while-shown.ts";
import { findResource } from "../data/discovery.ts";
import { useLiveList } from "../data/live-object.ts";
import { PodLog } from "../data/pod-log.ts";
import { resourceKey, resourcePath } from "../model/api-resource.ts";
import { newestEvents } from "../model/event-view.ts";
import { type LogLine, mergeByTime } from "../model/log-lines.ts";
import type { ApiObject } from "../model/object.ts";
import { podSelectorOf } from "../model/related.ts";
import { containersOf } from "../model/summary.ts";
import { LogView } from "../parts/log-view.ts";
import { Note, Skeleton } from "../parts/notes.ts";
import { t } from "../texts/texts.ts";
import { useEvents } from "./events.ts";
import type { Tab, TabProps } from "./tab.ts";

const podLog = { group: "", resource: "pods/log" };

/** Kinds whose Pods are found by their selector. */
const workloads = new Set([
  "deployments.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "replicasets.apps",
  "jobs.batch",
]);

export const logsTab: Tab = {
  name: "logs",
  title: () => t().logs,
  isFor: ({ id, may }) => {
    const key = resourceKey(id.resource);
    return (key === "pods" || workloads.has(key)) && may("get", podLog);
  },
  View: Logs,
};

function Logs(props: TabProps): JSX.Element {
  return props.id.resource.resource === "pods" ? h(PodLogs, props) : h(WorkloadLogs, props);
}

/** The logs of one of the Pods of a workload. */
function WorkloadLogs({ id, object }: TabProps): JSX.Element {
  const [chosen, choose] = useState("");
  const resource = findResource("pods");
  const selector = podSelectorOf(object);
  const path = resource && selector ? resourcePath(resource, id.namespace) : undefined;
  const live = useLiveList(path, { labelSelector: selector ?? "" });
  const pods = live?.items.value ?? [];
  const pod = pods.find(({ metadata }) => metadata.name === chosen) ?? pods[0];
  if (!resource || !pod) {
    return live?.state.value === "loading" ? h(Skeleton, null) : h(Note, { title: t().noPods });
  }
  const picker = h(
    "select",
    {
      "aria-label": "Pod",
      value: pod.metadata.name,
      onChange: ({ currentTarget }: Event) => choose((currentTarget as HTMLSelectElement).value),
    },
    pods.map(({ metadata }) =>
      h("option", { key: metadata.uid, value: metadata.name }, metadata.name),
    ),
  );
  const podId = { resource, namespace: id.namespace, name: pod.metadata.name };
  return h(PodLogs, { key: pod.metadata.uid, id: podId, object: pod, isGone: false, picker });
}

function PodLogs({
  id,
  object,
  picker,
}: TabProps & { readonly picker?: JSX.Element }): JSX.Element {
  const containers = containersOf(object);
  const usual = containers.find(({ isInit }) => !isInit) ?? containers[0];
  const [container, choose] = useState(usual?.name ?? "");
  const [previous, setPrevious] = useState(false);
  const chosen = containers.find(({ name }) => name === container) ?? usual;
  return h(ContainerLog, {
    key: `${chosen?.name} ${previous}`,
    id,
    container: chosen?.name ?? "",
    previous,
    controls: [
      picker,
      h(
        "select",
        {
          key: "container",
          "aria-label": t().container,
          value: chosen?.name ?? "",
          onChange: ({ currentTarget }: Event) =>
            choose((currentTarget as HTMLSelectElement).value),
        },
        containers.map(({ name }) => h("option", { key: name, value: name }, name)),
      ),
      (chosen?.restarts ?? 0) > 0
        ? h(
            "label",
            { key: "previous", class: "check" },
            h("input", {
              type: "checkbox",
              checked: previous,
              onChange: ({ currentTarget }) => setPrevious(currentTarget.checked),
            }),
            t().previousRun,
          )
        : null,
    ],
  });
}

interface ContainerLogOptions {
  readonly id: TabProps["id"];
  readonly container: string;
  readonly previous: boolean;
  readonly controls: readonly (JSX.Element | null | undefined)[];
}

function ContainerLog({ id, container, previous, controls }: ContainerLogOptions): JSX.Element {
  const log = useSignal<PodLog | undefined>(undefined);
  useWhileShown((stop) => {
    const { namespace = "", name } = id;
    log.value = new PodLog({ namespace, pod: name, container, previous }, stop);
  }, []);
  const live = useEvents(id);
  const lines = useComputed(() =>
    mergeByTime(log.value?.lines.value ?? [], eventLines(live?.items.value ?? [])),
  );
  const failure = log.value?.failure.value;
  return h(LogView, {
    lines: lines.value,
    controls,
    name: `${id.name}-${container}`,
    isLive: log.value?.isFollowing.value ?? false,
    ...(failure ? { note: failure.message } : {}),
  });
}

const eventLines = (events: readonly ApiObject[]): LogLine[] =>
  newestEvents(events).map(({ lastMs, reason, message, isWarning }) => ({
    ms: lastMs,
    source: reason,
    text: message,
    kind: isWarning ? "warning" : "event",
  }));
