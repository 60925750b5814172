import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import { browserClock } from "../base/browser-clock.ts";
import { send } from "../data/api.ts";
import type { ObjectId } from "../data/live-object.ts";
import { may } from "../data/permissions.ts";
import { resourcePath } from "../model/api-resource.ts";
import { type ApiObject, fieldAt } from "../model/object.ts";
import { t } from "../texts/texts.ts";
import { Dialog } from "./dialog.ts";
import { Icon } from "./icon.ts";
import { say } from "./toasts.ts";

interface ActionOptions {
  readonly id: ObjectId;
  readonly object: ApiObject;
}

/** What users do to an object, as far as they may. */
export function ObjectActions({ id, object }: ActionOptions): JSX.Element {
  const [open, setOpen] = useState<"scale" | "delete" | undefined>(undefined);
  const { resource, namespace } = id;
  const permitted = (verb: string, subresource = "") =>
    may({ verb, group: resource.group, resource: `${resource.resource}${subresource}` }, namespace);
  const close = () => setOpen(undefined);
  const hasTemplate =
    fieldAt(object, "spec", "template") !== undefined && resource.group === "apps";
  return h(
    "div",
    { class: "actions" },
    resource.subresources.includes("scale") && permitted("patch", "/scale")
      ? h(
          "button",
          { "aria-label": t().scale, onClick: () => setOpen("scale") },
          h(Icon, { name: "scale" }),
          h("span", null, t().scale),
        )
      : null,
    hasTemplate && resource.resource !== "replicasets" && permitted("patch")
      ? h(
          "button",
          { "aria-label": t().restart, onClick: () => void restart(id) },
          h(Icon, { name: "restart" }),
          h("span", null, t().restart),
        )
      : null,
    permitted("delete")
      ? h(
          "button",
          { class: "danger", "aria-label": t().remove, onClick: () => setOpen("delete") },
          h(Icon, { name: "trash" }),
          h("span", null, t().remove),
        )
      : null,
    open === "delete" ? h(DeleteDialog, { id, close }) : null,
    open === "scale" ? h(ScaleDialog, { id, object, close }) : null,
  );
}

/** Reports the failure of a write. */
const sayFailure = (error: Error): void => say(error.message, { isBad: true });

const mergePatch = "application/merge-patch+json";

/** The annotation by which kubectl restarts, too. Upstream: staging/src/k8s.io/kubectl/pkg/polymorphichelpers/objectrestarter.go. */
const restartedAt = "kubectl.kubernetes.io/restartedAt";

async function restart({ resource, namespace, name }: ObjectId): Promise<void> {
  const annotations = { [restartedAt]: new Date(browserClock.now()).toISOString() };
  await send(`${resourcePath(resource, namespace, name)}?fieldManager=k8ts-console`, {
    method: "PATCH",
    contentType: mergePatch,
    body: { spec: { template: { metadata: { annotations } } } },
  }).then(() => say(t().restarted(name)), sayFailure);
}

function ScaleDialog({ id, object, close }: ActionOptions & { close(): void }): JSX.Element {
  const [replicas, setReplicas] = useState(Number(fieldAt(object, "spec", "replicas") ?? 1));
  const { resource, namespace, name } = id;
  const submit = async (event: Event) => {
    event.preventDefault();
    await send(`${resourcePath(resource, namespace, name)}/scale?fieldManager=k8ts-console`, {
      method: "PATCH",
      contentType: mergePatch,
      body: { spec: { replicas } },
    }).then(() => say(t().scaled(name, replicas)), sayFailure);
    close();
  };
  return h(Dialog, {
    title: t().scaleTitle(name),
    close,
    children: h(
      "form",
      { onSubmit: submit },
      h("label", { for: "replicas" }, t().replicas),
      h("input", {
        id: "replicas",
        type: "number",
        min: 0,
        value: replicas,
        onInput: ({ currentTarget }) => setReplicas(currentTarget.valueAsNumber || 0),
      }),
      h(
        "code",
        { class: "command" },
        `kubectl scale ${resource.resource} ${name} --replicas=${replicas}`,
      ),
      h(
        "footer",
        null,
        h("button", { type: "button", onClick: close }, t().cancel),
        h("button", { class: "primary", type: "submit" }, t().scale),
      ),
    ),
  });
}

function DeleteDialog({ id, close }: { readonly id: ObjectId; close(): void }): JSX.Element {
  const { resource, namespace, name } = id;
  const remove = async () => {
    await send(resourcePath(resource, namespace, name), {
      method: "DELETE",
      body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" },
    }).then(() => say(t().deleting(name)), sayFailure);
    close();
  };
  const scope = namespace === undefined ? "" : ` -n ${namespace}`;
  return h(Dialog, {
    title: t().deleteTitle(`${resource.kind} ${name}`),
    close,
    children: [
      h("p", { key: "text" }, t().deleteText),
      h(
        "code",
        { key: "command", class: "command" },
        `kubectl delete ${resource.resource} ${name}${scope}`,
      ),
      h(
        "footer",
        { key: "footer" },
        h("button", { onClick: close, autofocus: true }, t().cancel),
        h("button", { class: "danger", onClick: remove }, t().remove),
      ),
    ],
  });
}
