package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/toolrun/toolrun/bench/protocol"
)

// patience is how long a process may take for a request, usually.
const patience = 3 * time.Minute

// peer is a process that runs one engine. It is started when it is needed, and again if it has ended.
type peer struct {
	command   []string
	patience  time.Duration // for a request
	log       io.Writer
	process   *exec.Cmd
	requests  io.WriteCloser
	responses *json.Decoder
}

func (p *peer) start() error {
	process := exec.Command(p.command[0], p.command[1:]...)
	process.Stderr = p.log
	requests, err := process.StdinPipe()
	if err != nil {
		return err
	}
	responses, err := process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return err
	}
	p.process, p.requests, p.responses = process, requests, json.NewDecoder(responses)
	return nil
}

// ask does a request.
func (p *peer) ask(request protocol.Request) (protocol.Response, error) {
	var response protocol.Response
	if p.process == nil {
		if err := p.start(); err != nil {
			return response, err
		}
	}
	process := p.process
	timer := time.AfterFunc(p.patience, func() { process.Process.Kill() })
	err := json.NewEncoder(p.requests).Encode(request)
	if err == nil {
		err = p.responses.Decode(&response)
	}
	if !timer.Stop() { // it has been killed, or is about to be
		return response, errors.Join(fmt.Errorf("it has taken more than %v", p.patience), p.close())
	}
	if err != nil {
		return response, errors.Join(fmt.Errorf("the process has ended: %w", err), p.close())
	}
	if response.Error != "" {
		return response, errors.New(response.Error)
	}
	return response, nil
}

// close ends the process.
func (p *peer) close() error {
	if p.process == nil {
		return nil
	}
	process := p.process
	p.process = nil
	p.requests.Close()
	timer := time.AfterFunc(10*time.Second, func() { process.Process.Kill() })
	defer timer.Stop()
	return process.Wait()
}
