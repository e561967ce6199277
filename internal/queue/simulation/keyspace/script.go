// SPDX-License-Identifier: Apache-2.0

package keyspace

import (
	"crypto/sha1" //nolint:gosec // scripts are named by it
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// engine runs scripts. They are compiled once and run in one state, whose
// globals they cannot change.
type engine struct {
	keyspace *Keyspace
	state    *lua.LState
	// args is reused by all calls; commands keep its strings, never the slice.
	args []string
}

func newEngine(k *Keyspace) *engine {
	e := &engine{keyspace: k, state: lua.NewState(lua.Options{SkipOpenLibs: true, RegistrySize: 1 << 16})}
	for name, open := range map[string]lua.LGFunction{
		lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable, lua.StringLibName: lua.OpenString, lua.MathLibName: lua.OpenMath,
	} {
		e.state.Push(e.state.NewFunction(open))
		e.state.Push(lua.LString(name))
		e.state.Call(1, 0)
	}
	functions := e.state.NewTable()
	e.state.SetFuncs(functions, map[string]lua.LGFunction{
		"call": func(state *lua.LState) int { return e.call(state, false) }, "pcall": func(state *lua.LState) int { return e.call(state, true) },
		"error_reply": errorReply, "sha1hex": func(state *lua.LState) int { state.Push(lua.LString(digest(state.CheckString(1)))); return 1 },
	})
	e.state.SetGlobal("redis", functions)
	e.hastenFormat()
	guard := e.state.NewTable()
	e.state.SetField(guard, "__newindex", e.state.NewFunction(func(state *lua.LState) int {
		state.RaiseError("Script attempted to create global variable '%s'", state.Get(2))
		return 0
	}))
	e.state.SetMetatable(e.state.G.Global, guard)
	return e
}

// hastenFormat answers the one way in which scripts write their numbers without
// the interpreter's own formatting, which would be a fifth of all work.
func (e *engine) hastenFormat() {
	library, known := e.state.GetGlobal("string").(*lua.LTable)
	if !known {
		return
	}
	slow := library.RawGetString("format")
	library.RawSetString("format", e.state.NewFunction(func(state *lua.LState) int {
		number, isNumber := state.Get(2).(lua.LNumber)
		if isNumber && state.GetTop() == 2 && state.Get(1) == lua.LString("%.17g") {
			state.Push(lua.LString(digits(float64(number))))
			return 1
		}
		state.Insert(slow, 1)
		state.Call(state.GetTop()-1, 1)
		return 1
	}))
}

// digits is a number as C's %.17g has it.
func digits(number float64) string {
	const exact = 1 << 53
	if whole := int64(number); float64(whole) == number && whole > -exact && whole < exact && !(whole == 0 && math.Signbit(number)) {
		return strconv.FormatInt(whole, 10)
	}
	return strconv.FormatFloat(number, 'g', 17, 64)
}

func digest(text string) string {
	sum := sha1.Sum([]byte(text)) //nolint:gosec // as above
	return hex.EncodeToString(sum[:])
}

func errorReply(state *lua.LState) int {
	text := strings.TrimPrefix(state.CheckString(1), "-")
	if !strings.Contains(text, " ") {
		text = "ERR " + text
	}
	reply := state.NewTable()
	reply.RawSetString("err", lua.LString(text))
	state.Push(reply)
	return 1
}

// evaluate is EVAL and EVALSHA.
func (k *Keyspace) evaluate(args []string) (any, error) {
	name := digest(args[0])
	if _, known := k.scripts[name]; !known {
		compiled, err := compile(args[0])
		if err != nil {
			return nil, err
		}
		k.scripts[name] = compiled
	}
	return k.evaluateKnown(append([]string{name}, args[1:]...))
}

func (k *Keyspace) evaluateKnown(args []string) (any, error) {
	compiled, known := k.scripts[args[0]]
	if !known {
		return nil, errNoScript
	}
	keys, err := parseInt(args[1])
	if err != nil || keys < 0 || int(keys) > len(args)-2 {
		return nil, replyError("ERR Number of keys can't be greater than number of args")
	}
	return k.engine.run(compiled, args[2:2+keys], args[2+keys:])
}

// compile refuses a first line of flags, as miniredis does: the caller then
// sends the script without it.
func compile(text string) (*lua.FunctionProto, error) {
	if strings.HasPrefix(text, "#") {
		return nil, errShebang
	}
	chunk, err := parse.Parse(strings.NewReader(text), "user_script")
	if err != nil {
		return nil, replyError(fmt.Sprintf("ERR Error compiling script (new function): %s", err))
	}
	compiled, err := lua.Compile(chunk, "user_script")
	if err != nil {
		return nil, replyError(fmt.Sprintf("ERR Error compiling script (new function): %s", err))
	}
	return compiled, nil
}

func (e *engine) run(compiled *lua.FunctionProto, keys, args []string) (any, error) {
	e.state.G.Global.RawSetString("KEYS", e.list(keys))
	e.state.G.Global.RawSetString("ARGV", e.list(args))
	e.state.SetTop(0)
	e.state.Push(e.state.NewFunctionFromProto(compiled))
	if err := e.state.PCall(0, 1, nil); err != nil {
		return nil, scriptError(err)
	}
	return fromLua(e.state.Get(-1))
}

// scriptError is what a script raised, in one line.
func scriptError(err error) error {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return replyError("ERR Error running script: " + text)
}

func (e *engine) list(items []string) *lua.LTable {
	list := e.state.CreateTable(len(items), 0)
	for _, item := range items {
		list.Append(lua.LString(item))
	}
	return list
}

// call is redis.call, and redis.pcall, which returns errors.
func (e *engine) call(state *lua.LState, protected bool) int {
	e.args = e.args[:0]
	for i := 1; i <= state.GetTop(); i++ {
		switch arg := state.Get(i).(type) {
		case lua.LString:
			e.args = append(e.args, string(arg))
		case lua.LNumber:
			e.args = append(e.args, arg.String())
		default:
			state.RaiseError("Lua redis lib command arguments must be strings or integers")
		}
	}
	if len(e.args) == 0 {
		state.RaiseError("Please specify at least one argument for this redis lib call")
	}
	reply, err := e.keyspace.do(e.args)
	switch {
	case err != nil && !protected:
		state.RaiseError("%s", err.Error())
	case err != nil:
		failure := state.NewTable()
		failure.RawSetString("err", lua.LString(err.Error()))
		state.Push(failure)
	default:
		state.Push(e.toLua(reply))
	}
	return 1
}

func (e *engine) toLua(reply any) lua.LValue {
	switch r := reply.(type) {
	case string:
		return lua.LString(r)
	case int64:
		return lua.LNumber(r)
	case []any:
		list := e.state.CreateTable(len(r), 0)
		for i, item := range r {
			list.RawSetInt(i+1, e.toLua(item))
		}
		return list
	case status:
		table := e.state.NewTable()
		table.RawSetString("ok", lua.LString(r))
		return table
	default:
		return lua.LFalse // nil, and the list that is null
	}
}

// fromLua is a script's result as a reply. A list ends before its first nil,
// and numbers lose their fractions.
func fromLua(value lua.LValue) (any, error) {
	switch v := value.(type) {
	case lua.LString:
		return string(v), nil
	case lua.LNumber:
		return int64(v), nil
	case lua.LBool:
		if v {
			return int64(1), nil
		}
		return nil, nil
	case *lua.LTable:
		if failure, failed := v.RawGetString("err").(lua.LString); failed {
			return nil, replyError(failure)
		}
		if text, simple := v.RawGetString("ok").(lua.LString); simple {
			return status(text), nil
		}
		list := make([]any, 0, v.Len())
		for i := 1; v.RawGetInt(i) != lua.LNil; i++ {
			item, err := fromLua(v.RawGetInt(i))
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		return list, nil
	default:
		return nil, nil
	}
}
