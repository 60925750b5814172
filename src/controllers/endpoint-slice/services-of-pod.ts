import { type Pod, type Service, services } from "#/api/core/v1.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { type Selector, selectorFromLabels } from "#/machinery/meta/labels.ts";
import { selectingObjects } from "../base/selecting-objects.ts";

/** The selector of a Service; undefined if its endpoints are made by its owner. */
export function serviceSelector({ spec }: Service): Selector | undefined {
  const { selector } = spec ?? {};
  if (selector === undefined || Object.keys(selector).length === 0) return undefined;
  return selectorFromLabels(selector);
}

/** The Services that select a Pod. */
export const servicesOfPod = ({ metadata }: Pod, { informers }: ControllerContext): string[] =>
  selectingObjects(services, serviceSelector, metadata, informers);
