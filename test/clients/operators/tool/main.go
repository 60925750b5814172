// What the Pods of these tests run: tool exit CODE | sleep | serve PORT TEXT | get URL | burn PERCENT.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	// A program with process ID 1 ends at SIGTERM only if it asks for it.
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	go func() {
		<-ended
		os.Exit(0)
	}()
	switch os.Args[1] {
	case "exit":
		os.Exit(number(os.Args[2]))
	case "sleep":
		select {}
	case "serve":
		serve(os.Args[2], os.Args[3])
	case "get":
		get(os.Args[2])
	case "burn":
		burn(number(os.Args[2]))
	}
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		fail(err)
	}
	return value
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// serve answers every request with the text, and /metrics with a counter of the others.
func serve(port, text string) {
	requests := 0
	http.HandleFunc("/metrics", func(response http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(response, "# TYPE tool_requests_total counter\ntool_requests_total %d\n", requests)
	})
	http.HandleFunc("/", func(response http.ResponseWriter, _ *http.Request) {
		requests++
		fmt.Fprint(response, text)
	})
	fail(http.ListenAndServe(":"+port, nil))
}

// get prints what the URL answers, and tries for a minute: its server may start later.
func get(url string) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
		body, err := read(url)
		if err == nil {
			fmt.Print(body)
			return
		}
		if time.Now().After(end) {
			fail(err)
		}
	}
}

func read(url string) (string, error) {
	response, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, strings.TrimSpace(string(body)))
	}
	return string(body), err
}

// burn uses that share of one processor.
func burn(percent int) {
	for {
		end := time.Now().Add(time.Duration(percent) * time.Millisecond)
		for time.Now().Before(end) {
		}
		time.Sleep(time.Duration(100-percent) * time.Millisecond)
	}
}
