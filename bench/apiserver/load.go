// The client of bench/apiserver: one program that puts the same load on every given server, slice by slice in
// turn, so that other load of the machine affects all of them equally. Standard library only; built by apiserver.ts.
//
// It behaves as client-go does by default: HTTP/2 over TLS (HTTP/1.1 with -http1), one connection per client, a client
// certificate, JSON, and "Accept-Encoding: gzip". It never parses a response: bodies are read to their end and counted,
// events of a watch are separated by their newlines. Without -inflate it does not decompress them either, so that the
// client costs little, and the same for every server.
//
// The Pods are as a Deployment creates them and a kubelet reports on them, 11 KB when stored, and 13 with a status.
// "status patch" runs before the reads, so that these read the objects of a running cluster. Without -cold, everything
// is done a few times before, unmeasured.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

var (
	targetList = flag.String("targets", "", "NAME=HOST:PORT=PID[+PID…] of each server, separated by commas")
	certFile   = flag.String("cert", "", "client certificate")
	keyFile    = flag.String("key", "", "its key")
	count      = flag.Int("count", 3000, "pods")
	clients    = flag.Int("clients", 16, "requests under way at a time, each on a connection of its own")
	watchers   = flag.Int("watchers", 50, "watches of the fan-out, each on a connection of its own")
	rounds     = flag.Int("slices", 5, "slices that each operation is cut into")
	only       = flag.String("only", "", "operations to measure (part of a name), besides create and delete")
	keep       = flag.Bool("keep", false, "leave the pods where they are")
	useHTTP1   = flag.Bool("http1", false, "speak HTTP/1.1")
	cold       = flag.Bool("cold", false, "measure from the first request on, without a warm-up")
	apart      = flag.Bool("apart", false, "each target in a namespace of its own, and with its name as user agent: they may be one server")
	rest       = flag.Duration("rest", 0, "time after each slice that belongs to it: what a server puts off counts as well")
	inflate    = flag.Bool("inflate", false, "decompress what the servers send, as a client does that reads it")
)

const (
	namespace   = "bench"
	podsPath    = "/api/v1/namespaces/" + namespace + "/pods"
	configsPath = "/api/v1/namespaces/" + namespace + "/configmaps"
	plain       = "application/json"
	strategic   = "application/strategic-merge-patch+json"
	table       = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
	// Share of each operation that is done before, unmeasured, and the number of repetitions.
	warmUpPercent = 70
	warmUpRounds  = 3
	// Limit of the CPU use of an idle server, and of the wait for it; a server that is never idle isn't waited for.
	restPercent  = 3
	restInterval = 200 * time.Millisecond
	restLimit    = 10 * time.Second
)

// target is one server under load.
type target struct {
	name, host string
	pids       []string
	clients    []*http.Client
	results    map[string]*result
	// Of the current slice: its start, and the CPU time of the server at that time.
	began     time.Time
	cpuBefore time.Duration
}

// result is the measurement of one operation on one server.
type result struct {
	PerSecond float64 `json:"perSecond"`
	P50Ms     float64 `json:"p50Ms"`
	P99Ms     float64 `json:"p99Ms"`
	// CPU time of the server's processes.
	CPUMicros float64 `json:"cpuMicros"`
	Bytes     float64 `json:"bytes"`
	// Of each slice.
	SliceMicros []float64 `json:"sliceMicros"`
	SliceRates  []float64 `json:"sliceRates"`

	done    int
	elapsed time.Duration
	cpu     time.Duration
	read    int64
	times   []time.Duration
}

// operation is done total times on each server, a slice of them at a time; run calls begin() when it is prepared.
type operation struct {
	name  string
	total int
	run   func(t *target, from, to int) slice
}

// slice is the result of a part of an operation.
type slice struct {
	done  int
	read  int64
	times []time.Duration
}

func main() {
	flag.Parse()
	certificate, err := tls.LoadX509KeyPair(*certFile, *keyFile)
	check(err)
	targets := parseTargets(certificate)
	for _, target := range targets {
		target.send(target.clients[0], request("POST", "/api/v1/namespaces", plain, []byte(`{"metadata":{"name":"`+target.namespace()+`"}}`)))
	}
	if !*cold {
		warmUp(targets, operations(certificate))
	}
	for _, operation := range operations(certificate) {
		if !wanted(operation.name) {
			continue
		}
		for round := range *rounds {
			from, to := round*operation.total / *rounds, (round+1)*operation.total / *rounds
			for _, target := range targets {
				awaitRest(targets)
				target.measure(operation, from, to)
			}
			// What slows down with time affects each of them first.
			slices.Reverse(targets)
		}
	}
	answer := map[string]map[string]*result{}
	for _, target := range targets {
		for _, result := range target.results {
			result.finish()
		}
		answer[target.name] = target.results
	}
	check(json.NewEncoder(os.Stdout).Encode(answer))
}

// warmUp does everything a few times before anything is measured: servers run for months, and are compiled as they run or
// size their caches by their load.
func warmUp(targets []*target, operations []operation) {
	for range warmUpRounds {
		for _, target := range targets {
			for _, operation := range operations {
				if operation.name != "fan-out" && (!*apart || wanted(operation.name)) {
					operation.run(target, 0, operation.total*warmUpPercent/100)
				}
			}
		}
	}
}

// awaitRest waits until the remaining work of earlier requests (garbage, compaction) is done: it would use
// the CPU time of the next one.
func awaitRest(targets []*target) {
	used := func() time.Duration {
		var sum time.Duration
		for _, target := range targets {
			sum += target.processorTime()
		}
		return sum
	}
	for began := time.Now(); time.Since(began) < restLimit; {
		before := used()
		time.Sleep(restInterval)
		if used()-before <= restInterval*restPercent/100*time.Duration(len(targets)) {
			return
		}
	}
}

func wanted(name string) bool {
	if name == "delete" && *keep {
		return false
	}
	return *only == "" || name == "create" || name == "delete" || strings.Contains(name, *only)
}

func operations(certificate tls.Certificate) []operation {
	lists := 100
	return []operation{
		{"create", *count, requests(func(index int) *http.Request {
			return request("POST", podsPath, plain, pod(index))
		})},
		{"status patch", *count, requests(func(index int) *http.Request {
			return request("PATCH", podsPath+"/"+podName(index)+"/status", plain, podStatus(index))
		})},
		{"get", *count * 10, requests(func(index int) *http.Request {
			return request("GET", podsPath+"/"+podName(index%(*count*warmUpPercent/100)), plain, nil)
		})},
		{"list", lists, requests(func(int) *http.Request {
			return request("GET", podsPath, plain, nil)
		})},
		{"list with selector", lists * 5, requests(func(index int) *http.Request {
			return request("GET", fmt.Sprintf("%s?labelSelector=app%%3Dapp-%d", podsPath, index%100), plain, nil)
		})},
		{"list as Table", lists, requests(func(int) *http.Request {
			return request("GET", podsPath, table, nil)
		})},
		{"fan-out", 1000, func(t *target, from, to int) slice {
			return t.fanOut(certificate, from, to)
		}},
		{"delete", *count, requests(func(index int) *http.Request {
			return request("DELETE", podsPath+"/"+podName(index)+"?gracePeriodSeconds=0", plain, nil)
		})},
	}
}

func parseTargets(certificate tls.Certificate) []*target {
	var targets []*target
	for _, text := range strings.Split(*targetList, ",") {
		part := strings.Split(text, "=")
		target := &target{name: part[0], host: part[1], pids: strings.Split(part[2], "+"), results: map[string]*result{}}
		for range *clients {
			target.clients = append(target.clients, newClient(certificate))
		}
		targets = append(targets, target)
	}
	return targets
}

// newClient has one connection, which it keeps.
func newClient(certificate tls.Certificate) *http.Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(*useHTTP1)
	protocols.SetHTTP2(!*useHTTP1)
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig:    &tls.Config{Certificates: []tls.Certificate{certificate}, InsecureSkipVerify: true},
		Protocols:          protocols,
		DisableCompression: true, // We request gzip ourselves, so that nothing is inflated here.
	}}
}

// request is one request to any server.
func request(method, path, accept string, body []byte) *http.Request {
	request, err := http.NewRequest(method, path, bytes.NewReader(body))
	check(err)
	request.Header.Set("Accept", accept)
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("User-Agent", "bench/v1.0 (linux/amd64) kubernetes/0000000")
	if method == "PATCH" {
		request.Header.Set("Content-Type", strategic)
	} else if body != nil {
		request.Header.Set("Content-Type", plain)
	}
	return request
}

func (t *target) namespace() string {
	if *apart {
		return namespace + "-" + t.name
	}
	return namespace
}

// send sends one request and reads the response to its end.
func (t *target) send(client *http.Client, request *http.Request) int64 {
	response := t.open(client, request)
	defer response.Body.Close()
	sent := &counter{reader: response.Body}
	var body io.Reader = sent
	if *inflate && response.Header.Get("Content-Encoding") == "gzip" {
		inflated, err := gzip.NewReader(sent)
		check(err)
		body = inflated
	}
	_, err := io.Copy(io.Discard, body)
	check(err)
	return sent.read
}

// counter counts the bytes that are read through it.
type counter struct {
	reader io.Reader
	read   int64
}

func (c *counter) Read(buffer []byte) (int, error) {
	size, err := c.reader.Read(buffer)
	c.read += int64(size)
	return size, err
}

func (t *target) open(client *http.Client, request *http.Request) *http.Response {
	request.URL.Scheme, request.URL.Host = "https", t.host
	if *apart {
		request.URL.Path = strings.Replace(request.URL.Path, "/"+namespace+"/", "/"+t.namespace()+"/", 1)
		request.Header.Set("User-Agent", t.name+"/v1.0 (linux/amd64) kubernetes/0000000")
	}
	response, err := client.Do(request)
	check(err)
	if response.StatusCode >= 300 {
		text, _ := io.ReadAll(response.Body)
		log.Fatalf("%s: %s %s: %s: %.500s", t.name, request.Method, request.URL, response.Status, text)
	}
	return response
}

// requests returns an operation of requests, which are created before the clock starts.
func requests(newRequest func(index int) *http.Request) func(t *target, from, to int) slice {
	return func(t *target, from, to int) slice {
		ready := prepare(newRequest, from, to)
		t.begin()
		return t.sendAll(ready, func(int) {})
	}
}

func prepare(newRequest func(index int) *http.Request, from, to int) []*http.Request {
	var ready []*http.Request
	for index := from; index < to; index++ {
		ready = append(ready, newRequest(index))
	}
	return ready
}

// sendAll has the clients send requests, each one after the other; onSend is called right before each.
func (t *target) sendAll(ready []*http.Request, onSend func(index int)) slice {
	var next, read atomic.Int64
	var lock sync.Mutex
	var group sync.WaitGroup
	var times []time.Duration
	for _, client := range t.clients {
		group.Go(func() {
			var own []time.Duration
			for index := int(next.Add(1)) - 1; index < len(ready); index = int(next.Add(1)) - 1 {
				onSend(index)
				began := time.Now()
				read.Add(t.send(client, ready[index]))
				own = append(own, time.Since(began))
			}
			lock.Lock()
			defer lock.Unlock()
			times = append(times, own...)
		})
	}
	group.Wait()
	return slice{len(ready), read.Load(), times}
}

// fanOut creates objects that all clients watch, and waits until all have received them. The measured time is
// from the start of the request that causes an event to its arrival at a watcher.
func (t *target) fanOut(certificate tls.Certificate, from, to int) slice {
	began := make([]time.Time, to)
	var seen, opened sync.WaitGroup
	var lock sync.Mutex
	var times []time.Duration
	var read int64
	for range *watchers {
		opened.Add(1)
		seen.Go(func() {
			client := newClient(certificate)
			defer client.CloseIdleConnections()
			stream := t.watch(client)
			opened.Done()
			follower := follower{began: began, from: from, seen: make([]bool, to)}
			for !follower.follow(stream) {
				// A server may close the connection of a client that is too slow; the client reconnects.
				stream.Close()
				stream = t.watch(client)
			}
			stream.Close()
			lock.Lock()
			defer lock.Unlock()
			times, read = append(times, follower.times...), read+follower.read
		})
	}
	ready := prepare(func(index int) *http.Request {
		return request("POST", configsPath, plain, config(index))
	}, from, to)
	opened.Wait()
	t.begin() // Opening watches isn't measured.
	t.sendAll(ready, func(index int) { began[from+index] = time.Now() })
	seen.Wait()
	return slice{(to - from) * *watchers, read, times}
}

func (t *target) watch(client *http.Client) io.ReadCloser {
	path := configsPath + "?watch=1&resourceVersion=0&timeoutSeconds=600"
	return t.open(client, request("GET", path, plain, nil)).Body
}

// follower waits for every event from an index on; earlier ones are skipped.
type follower struct {
	began []time.Time
	from  int
	seen  []bool
	times []time.Duration
	read  int64
}

// follow returns whether all events have arrived; if not, the stream has ended.
func (f *follower) follow(stream io.Reader) bool {
	reader := bufio.NewReaderSize(stream, 1<<16)
	mark := []byte(`"event-`)
	for len(f.times) < len(f.began)-f.from {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return false
		}
		at := bytes.Index(line, mark)
		if at < 0 {
			continue
		}
		digits := line[at+len(mark):]
		index, err := strconv.Atoi(string(digits[:bytes.IndexByte(digits, '"')]))
		check(err)
		if index < f.from || f.seen[index] {
			continue
		}
		f.seen[index] = true
		f.times = append(f.times, time.Since(f.began[index]))
		f.read += int64(len(line))
	}
	return true
}

// measure adds one slice to an operation's result.
func (t *target) measure(operation operation, from, to int) {
	if t.results[operation.name] == nil {
		t.results[operation.name] = &result{}
	}
	result := t.results[operation.name]
	slice := operation.run(t, from, to)
	elapsed := time.Since(t.began)
	time.Sleep(*rest)
	cpu := t.processorTime() - t.cpuBefore
	result.elapsed += elapsed
	result.cpu += cpu
	result.SliceMicros = append(result.SliceMicros, float64(cpu.Microseconds())/float64(slice.done))
	result.SliceRates = append(result.SliceRates, float64(slice.done)/elapsed.Seconds())
	result.done += slice.done
	result.read += slice.read
	result.times = append(result.times, slice.times...)
}

// begin starts the clock of a slice.
func (t *target) begin() {
	t.cpuBefore = t.processorTime()
	t.began = time.Now()
}

func (r *result) finish() {
	slices.Sort(r.times)
	at := func(part float64) float64 {
		return float64(r.times[int(part*float64(len(r.times)-1))].Microseconds()) / 1000
	}
	r.PerSecond = float64(r.done) / r.elapsed.Seconds()
	r.P50Ms, r.P99Ms = at(0.5), at(0.99)
	r.CPUMicros = float64(r.cpu.Microseconds()) / float64(r.done)
	r.Bytes = float64(r.read) / float64(r.done)
}

// processorTime is the CPU time of the server's processes so far, in nanoseconds: /proc has hundredths of a second only.
func (t *target) processorTime() time.Duration {
	var sum time.Duration
	for _, pid := range t.pids {
		number, err := strconv.Atoi(pid)
		check(err)
		// The kernel's number of a process' CPU clock, as clock_getcpuclockid(3) makes it.
		clock := ^uintptr(number)<<3 | 2
		var used syscall.Timespec
		if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&used)), 0); errno != 0 {
			check(errno)
		}
		sum += time.Duration(used.Nano())
	}
	return sum
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
