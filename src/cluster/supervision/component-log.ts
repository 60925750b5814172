/** The beginning of an entry; following lines belong to it. */
const beginning = /^([IWEF]\d{4} |\{|supervise: )/;

/** A filter for the lines of a log, in order: those of one component. */
export function componentFilter(component: string): (line: string) => boolean {
  const value = JSON.stringify(component);
  const asText = new RegExp(`^[^\\]]+\\] "(?:[^"\\\\]|\\\\.)*" component=${value}`);
  const asJson = new RegExp(`^\\{"ts":[0-9.]+,"component":${value}`);
  let isShown = false;
  return (line) => {
    if (beginning.test(line)) {
      isShown = (line.startsWith("{") ? asJson : asText).test(line);
    }
    return isShown;
  };
}
