import { type Service, services } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine, timeOf } from "../../base/text.ts";
import { eventLine } from "../../facts/pod-events.ts";

const reasons =
  /^(?:Port(?:NotAllocated|AlreadyAllocated|OutOfRange|RangeFull)|ClusterIP.*|ServiceCIDRFull|FailedTo(?:List|Update|Create).*)$/;

export const serviceWarning = cause<Service>({
  name: "service-allocation",
  layer: "service",
  of: [services],
  find(service, view) {
    const event = view
      .events(services, service)
      .find(({ isWarning, reason }) => isWarning && reasons.test(reason));
    if (!event) return undefined;
    return {
      sentence: `${oneLine(event.message, 200)} (${event.reason})`,
      severity: /FailedTo|NotAllocated/.test(event.reason) ? "notice" : "stuck",
      since: timeOf(event.firstMs),
      evidence: [eventLine(event, view.nowMs)],
    };
  },
});
