// Plays on a server that is only tried, and is in no archive: made-up players live the life of a
// server, faster than it would be, and what begins is a line on its console with a word that is given
// to "svc_play". What plugins do about it is what the server is started for.
// SPDX-License-Identifier: MIT
#include <amxmodx>
#include <fakemeta>
#include <hamsandwich>

#if AMXX_VERSION_NUM < 183
// Without what asks plugins first: the game alone is told.
stock amxclient_cmd(id, const command[], const one[] = "", const two[] = "") engclient_cmd(id, command, one, two)
#endif

#define FIRST_PLAYERS 4
#define MOST_COMMANDS 64
#define MOST_OF_SERVER 4096
#define MOST_TRIED 512
#define MOST_ORDERS 160 // one a frame, fairly for twenty plugins
#define MOST_OF_PLUGIN 16
#define BLOCK_FRAMES 50
#define BEGUN_FRAMES 500 // in which all join, choose and spawn before anything is measured
#define SITE_RADIUS 200.0

// In the order in which they come, each for some seconds of the game's time.
enum {
	CONNECT, TEAM, CLASS, RESTART, SPAWN, CHAT, COMMANDS, MENU, BUY, WEAPONS, SHOOT, RELOAD, ITEM,
	DAMAGE, KILL, SPECTATE, SUICIDE, ROUND, PLANT, DEFUSE, NAME, SWITCH, BOTS, CROWD, CROWD_TEAM, CROWD_CLASS, CROWD_SPAWN,
	LEAVE, ADMIN, MAP, STEPS
}
new const NAMES[STEPS][] = {
	"connect", "team", "class", "restart", "spawn", "chat", "commands", "menu", "buy", "weapons",
	"shoot", "reload", "item", "damage", "kill", "spectate", "suicide", "round", "plant", "defuse",
	"name", "switch", "bots", "crowd", "crowd", "crowd", "crowd", "leave", "admin", "map"
}
new const Float:SECONDS[STEPS] = {
	1.0, 1.0, 1.0, 2.5, 1.0, 0.2, 2.0, 1.0, 0.5, 1.0,
	2.0, 2.0, 0.5, 0.5, 1.0, 1.0, 1.0, 4.0, 5.0, 11.0,
	0.5, 1.0, 4.0, 0.7, 0.7, 0.1, 2.0, 1.0, 0.5, 0.0
}

new g_word[33]
new bool:g_is_measured
new g_milliseconds = 50 // of the game's time, a frame
new g_frame
new g_since
new g_paused
new g_first_tried // of the plugins that are tried, which are listed before this one
new g_end_of_tried
new g_order = MOST_OF_SERVER
new g_orders
new g_orders_of[MOST_TRIED]
new g_step = -1
new Float:g_end
new g_players[33]
new g_count
new g_first_new // of them, who joined last
new g_buttons[33]
new g_command
new g_bomb

public plugin_init() {
	register_plugin("svc_play", "1", "goldsmith")
	register_srvcmd("svc_play", "begin")
	register_forward(FM_StartFrame, "on_frame")
}

// What plugins have registered, a line each. Commands by their numbers, which are negative, since
// AMX Mod X lists none that is registered without an access.
tell_facts() {
	static name[64], file[64], value[128], text[128], junk[2]
	new flags, id, pointer
	for (new i = 0; i < get_plugins_cvarsnum(); i++) {
#if AMXX_VERSION_NUM < 183
		get_plugins_cvar(i, name, charsmax(name), flags, id, pointer)
#else
		get_plugins_cvar(i, name, charsmax(name), flags, id, pointer, text, charsmax(text))
#endif
		get_plugin(id, file, charsmax(file), junk, 1, junk, 1, junk, 1, junk, 1)
		get_pcvar_string(pointer, value, charsmax(value))
		server_print("%s:cvar^t%s^t%s^t%d^t%s^t%s", g_word, file, name, flags, value, text)
	}
	for (new i = 1; i < MOST_OF_SERVER; i++) {
		if (!get_concmd(-i, name, charsmax(name), flags, text, charsmax(text), -1, -1)) continue
		get_plugin(get_concmd_plid(-i, -1, -1), file, charsmax(file), junk, 1, junk, 1, junk, 1, junk, 1)
		new const bool:client = get_concmd(-i, name, charsmax(name), flags, text, charsmax(text), -1, 1) != 0
		new const bool:server = get_concmd(-i, name, charsmax(name), flags, text, charsmax(text), -1, 0) != 0
		server_print("%s:command^t%s^t%s^t%d^t%s^t%s", g_word, file, name, flags, !client ? "s" : server ? "b" : "c", text)
	}
	server_print("%s end", g_word)
}

public begin() {
	if (g_word[0]) return PLUGIN_HANDLED
	read_argv(1, g_word, charsmax(g_word))
	static what[8], number[8]
	read_argv(2, what, charsmax(what))
	if (equal(what, "facts")) {
		tell_facts()
		g_word[0] = 0
		return PLUGIN_HANDLED
	}
	read_argv(3, number, charsmax(number))
	g_end_of_tried = find_plugin_byfile("svc_play.amxx")
	g_first_tried = max(0, g_end_of_tried - min(str_to_num(number), MOST_TRIED))
	if (equal(what, "costs")) {
		g_is_measured = true
		g_milliseconds = 10
	}
	set_cvar_num("mp_freezetime", 0)
	set_cvar_num("mp_limitteams", 0)
	set_cvar_num("mp_autoteambalance", 0)
	return PLUGIN_HANDLED
}

public plugin_end() {
	if (g_step >= ADMIN) server_print("%s end", g_word)
}

public on_frame() {
	if (!g_word[0] || g_step > MAP) return
	for (new i = 0; i < g_count; i++) {
		if (is_user_connected(g_players[i])) move(g_players[i])
	}
	if (g_is_measured) {
		measure()
		return
	}
	if (g_step >= 0) go_on()
	if (get_gametime() < g_end) return
	g_step++
	if (g_step == STEPS) return
	g_end = get_gametime() + SECONDS[g_step]
	arrayset(g_buttons, 0, sizeof(g_buttons))
	server_print("%s %s", g_word, NAMES[g_step])
	act()
}

// They look at each other, and walk now and then.
move(id) {
	static Float:eyes[3], Float:aim[3], Float:angles[3]
	pev(id, pev_v_angle, angles)
	new const at = g_step == DEFUSE && pev_valid(g_bomb) ? g_bomb : other_team(id)
	if (at) {
		static Float:offset[3]
		pev(id, pev_origin, eyes)
		pev(id, pev_view_ofs, offset)
		pev(at, pev_origin, aim)
		for (new axis = 0; axis < 3; axis++) aim[axis] -= eyes[axis] + offset[axis]
		engfunc(EngFunc_VecToAngles, aim, angles)
		angles[0] = -angles[0]
		set_pev(id, pev_v_angle, angles)
		set_pev(id, pev_angles, angles)
		set_pev(id, pev_fixangle, 1)
	}
	new const Float:speed = g_is_measured || g_step == SPAWN || g_step == CROWD_SPAWN ? 100.0 : 0.0
	new buttons = g_buttons[id]
	if (speed) buttons |= IN_FORWARD
	engfunc(EngFunc_RunPlayerMove, id, angles, speed, 0.0, 0.0, buttons, 0, g_milliseconds)
}

other_team(id) {
	for (new i = 0; i < g_count; i++) {
		new const other = g_players[i]
		if (is_user_alive(other) && get_user_team(other) != get_user_team(id)) return other
	}
	return 0
}

// The first of a team who is alive, or else anybody.
of_team(team) {
	for (new i = 0; i < g_count; i++) {
		if (is_user_alive(g_players[i]) && get_user_team(g_players[i]) == team) return g_players[i]
	}
	return g_count ? g_players[0] : 0
}

join(const name[]) {
	new const id = engfunc(EngFunc_CreateFakeClient, name)
	if (!pev_valid(id)) return
	static reason[128]
	engfunc(EngFunc_FreeEntPrivateData, id)
	set_pev(id, pev_flags, pev(id, pev_flags) | FL_FAKECLIENT)
	dllfunc(DLLFunc_ClientConnect, id, name, "127.0.0.1", reason)
	dllfunc(MetaFunc_CallGameEntity, "player", id)
	set_pev(id, pev_spawnflags, pev(id, pev_spawnflags) | FL_FAKECLIENT)
	set_pev(id, pev_flags, pev(id, pev_flags) | FL_FAKECLIENT)
	set_key(id, "rate", "25000")
	set_key(id, "_vgui_menus", "0")
	set_key(id, "model", "gordon")
	set_key(id, "lang", "en")
	set_key(id, "cl_updaterate", "60")
	dllfunc(DLLFunc_ClientPutInServer, id)
	g_players[g_count++] = id
}

set_key(id, const key[], const value[]) {
	engfunc(EngFunc_SetClientKeyValue, id, engfunc(EngFunc_GetInfoKeyBuffer, id), key, value)
}

// Of all, in the way of clients: what plugins registered sees it first.
each_says(const command[], const one[] = "", const two[] = "") {
	for (new i = 0; i < g_count; i++) {
		if (is_user_connected(g_players[i])) amxclient_cmd(g_players[i], command, one, two)
	}
}

hurt(victim, Float:damage) {
	new const attacker = other_team(victim)
	if (attacker && is_user_alive(victim)) {
		ExecuteHamB(Ham_TakeDamage, victim, attacker, attacker, damage, DMG_BULLET)
	}
}

give(id, const item[]) {
	new const entity = engfunc(EngFunc_CreateNamedEntity, engfunc(EngFunc_AllocString, item))
	if (!pev_valid(entity)) return
	static Float:origin[3]
	pev(id, pev_origin, origin)
	set_pev(entity, pev_origin, origin)
	set_pev(entity, pev_spawnflags, pev(entity, pev_spawnflags) | SF_NORESPAWN)
	dllfunc(DLLFunc_Spawn, entity)
	dllfunc(DLLFunc_Touch, entity, id)
}

// The commands of plugins that everybody may give, one a frame, each answered if it shows a menu.
give_command() {
	if (g_command >= min(get_clcmdsnum(-1), MOST_COMMANDS)) return
	static line[64], info[2], word[64], rest[64]
	new access
	get_clcmd(g_command++, line, charsmax(line), access, info, charsmax(info), -1)
	if (access != 0) return
	new at = 0
	while (line[at] && line[at] != ' ') at++
	copy(word, min(at, charsmax(word)), line)
	copy(rest, charsmax(rest), line[line[at] ? at + 1 : at])
	new const id = of_team(1)
	amxclient_cmd(id, word, rest)
	if (is_user_connected(id)) amxclient_cmd(id, "menuselect", "1")
}

// The commands of the plugins that are tried, the last first, as an admin types them. Not those that
// change the server or end it, and those of which nobody can tell what they take. False: none is left.
bool:give_order() {
	static line[64], usage[128], word[64], one[32], two[32]
	new access
	new const id = of_team(1)
	while (--g_order > 0 && is_user_connected(id)) {
		if (!get_concmd(-g_order, line, charsmax(line), access, usage, charsmax(usage), -1, 1)) continue
		new const plugin = get_concmd_plid(-g_order, -1, 1)
		if (plugin < g_first_tried || plugin >= g_end_of_tried || changes_server(line)) continue
		if (g_orders_of[plugin - g_first_tried] >= MOST_OF_PLUGIN) continue
		new at = 0
		while (line[at] && line[at] != ' ') at++
		copy(word, min(at, charsmax(word)), line)
		copy(one, charsmax(one), line[line[at] ? at + 1 : at])
		two[0] = 0
		if (!one[0] && !find_arguments(id, usage, one, two, charsmax(one))) continue
		g_orders_of[plugin - g_first_tried]++
		g_orders++
		amxclient_cmd(id, word, one, two)
		if (is_user_connected(id)) amxclient_cmd(id, "menuselect", "1")
		return true
	}
	return false
}

bool:changes_server(const line[]) {
	static const WORDS[][] = { "map", "quit", "exit", "restart", "rcon", "changelevel", "shutdown", "exec",
		"cvar", "pause", "plugin", "crash", "vote", "rtv", "nominate" }
	static const OF_GAME[][] = { "say", "say_team", "chooseteam", "jointeam", "joinclass", "menuselect", "kill", "drop" }
	for (new i = 0; i < sizeof(WORDS); i++) {
		if (containi(line, WORDS[i]) != -1) return true
	}
	for (new i = 0; i < sizeof(OF_GAME); i++) {
		if (equali(line, OF_GAME[i])) return true
	}
	return line[0] == '+' || line[0] == '-'
}

// What stands for the first two words in <> of a description, in which there may be no third. Where
// there are none, a name and a number.
bool:find_arguments(id, const usage[], one[], two[], most) {
	static word[32]
	new count = 0
	for (new at = 0; usage[at]; at++) {
		if (usage[at] != '<') continue
		if (++count > 2) return false
		new length = 0
		while (usage[++at] && usage[at] != '>') {
			if (length < charsmax(word)) word[length++] = usage[at]
		}
		word[length] = 0
		if (!(count == 1 ? find_argument(id, word, one, most) : find_argument(id, word, two, most))) return false
		if (!usage[at]) break
	}
	if (count == 0) {
		find_argument(id, "name", one, most)
		copy(two, most, "1")
	}
	return true
}

bool:find_argument(id, const word[], argument[], most) {
	static const NAMES_OF_PLAYERS[][] = { "name", "nick", "player", "user", "target", "auth", "steam", "victim" }
	static const NUMBERS[][] = { "num", "amount", "time", "minute", "second", "value", "count", "id", "health", "hp",
		"armor", "money", "frag", "level", "point", "xp", "0", "1", "on", "power", "damage", "speed", "size", "percent" }
	static const TEXTS[][] = { "text", "message", "msg", "reason" }
	for (new i = 0; i < sizeof(NAMES_OF_PLAYERS); i++) {
		if (containi(word, NAMES_OF_PLAYERS[i]) == -1) continue
		new const other = other_team(id)
		get_user_name(other ? other : id, argument, most)
		return true
	}
	for (new i = 0; i < sizeof(TEXTS); i++) {
		if (containi(word, TEXTS[i]) != -1) return copy(argument, most, "hello") > 0
	}
	for (new i = 0; i < sizeof(NUMBERS); i++) {
		if (containi(word, NUMBERS[i]) != -1) return copy(argument, most, "1") > 0
	}
	return false
}

// In turns: all plugins run for a while, then nobody of them is paused once more, or all are, or one.
// A line for each turn: who was paused, -1 before the next, 0 nobody, 1 all, 2 the first of them, and
// how long it took the processor, in milliseconds.
measure() {
	new const frame = g_frame++ - BEGUN_FRAMES
	switch (frame + BEGUN_FRAMES) {
		case 0: {
			server_print("%s crowd", g_word)
			crowd()
		}
		case 100: choose_teams()
		case 200: choose_classes(g_first_new)
	}
	if (frame % 10 == 0) keep_alive()
	if (frame < 0) return
	if (frame % BLOCK_FRAMES == BLOCK_FRAMES / 2) {
		hurt(g_players[frame / BLOCK_FRAMES % g_count], 1000.0)
		amxclient_cmd(g_players[0], "say", "hello")
	}
	if (frame % BLOCK_FRAMES) return
	new const now = tickcount()
	if (frame > 0) {
		server_print("%s:cost^t%d^t%d", g_word, g_paused, now - g_since)
		set_paused(g_paused, false)
	} else server_print("%s end", g_word)
	new const block = frame / BLOCK_FRAMES
	arrayset(g_buttons, 0, sizeof(g_buttons))
	for (new i = 0; i < 4; i++) g_buttons[g_players[(4 * block + i) % g_count]] = IN_ATTACK
	g_paused = block & 1 ? block / 2 % (g_end_of_tried - g_first_tried + 2) : -1
	set_paused(g_paused, true)
	g_since = tickcount()
}

set_paused(who, bool:is_paused) {
	static file[64], junk[2]
	for (new id = g_first_tried; id < g_end_of_tried; id++) {
		if (who != 1 && who != id - g_first_tried + 2) continue
		get_plugin(id, file, charsmax(file), junk, 1, junk, 1, junk, 1, junk, 1)
		if (is_paused) pause("ac", file)
		else unpause("ac", file)
	}
}

keep_alive() {
	for (new i = 0; i < g_count; i++) {
		if (is_user_alive(g_players[i])) set_pev(g_players[i], pev_health, 100.0)
		else if (is_user_connected(g_players[i])) ExecuteHamB(Ham_CS_RoundRespawn, g_players[i])
	}
}

go_on() {
	if (g_step == COMMANDS) give_command()
	else if (g_step == ADMIN) {
		if (g_orders < MOST_ORDERS && give_order()) g_end = get_gametime() + SECONDS[ADMIN]
	}
	else if (g_step == DEFUSE && pev_valid(g_bomb)) dllfunc(DLLFunc_Use, g_bomb, of_team(2))
}

act() {
	switch (g_step) {
		case CONNECT: {
			new const names[FIRST_PLAYERS][] = { "Alpha", "Bravo", "Charlie", "Delta" }
			for (new i = 0; i < FIRST_PLAYERS; i++) join(names[i])
		}
		case TEAM, CROWD_TEAM: choose_teams()
		case CLASS, CROWD_CLASS: choose_classes(g_first_new)
		case RESTART, ROUND: server_cmd("sv_restart 1")
		case SPAWN: {
			for (new i = 0; i < g_count; i++) ExecuteHamB(Ham_CS_RoundRespawn, g_players[i])
		}
		case CHAT: {
			each_says("say", "hello")
			each_says("say_team", "hello")
		}
		case MENU: {
			each_says("chooseteam")
			each_says("menuselect", "10")
		}
		case BUY: {
			each_says("deagle")
			each_says("vesthelm")
			each_says("primammo")
		}
		case WEAPONS: {
			each_says("lastinv")
			each_says("drop")
		}
		case SHOOT: press(IN_ATTACK)
		case RELOAD: press(IN_RELOAD)
		case ITEM: {
			for (new i = 0; i < g_count; i++) give(g_players[i], "weapon_ak47")
		}
		case DAMAGE: hurt(of_team(1), 10.0)
		case KILL: hurt(of_team(1), 1000.0)
		case SPECTATE: {
			for (new i = 0; i < g_count; i++) {
				if (!is_user_alive(g_players[i])) engclient_cmd(g_players[i], "jointeam", "6")
			}
		}
		case SUICIDE: dllfunc(DLLFunc_ClientKill, of_team(2))
		case PLANT: plant()
		case DEFUSE: g_bomb = engfunc(EngFunc_FindEntityByString, 0, "classname", "grenade")
		case NAME: {
			set_key(g_players[0], "name", "Echo")
			dllfunc(DLLFunc_ClientUserInfoChanged, g_players[0], engfunc(EngFunc_GetInfoKeyBuffer, g_players[0]))
		}
		case SWITCH: {
			for (new i = 0; i < g_count; i++) engclient_cmd(g_players[i], "jointeam", get_user_team(g_players[i]) == 1 ? "2" : "1")
			choose_classes(0)
		}
		case BOTS: ask_for_bots(4)
		case CROWD: {
			tell_bots()
			ask_for_bots(0)
			crowd()
		}
		case CROWD_SPAWN: keep_alive()
		case ADMIN: set_user_flags(of_team(1), read_flags("abcdefghijklmnopqrstu"))
		case LEAVE: {
			for (new i = 0; i < g_count; i += 2) server_cmd("kick #%d", get_user_userid(g_players[i]))
		}
		case MAP: server_cmd("changelevel goldsmith")
	}
}

// So that both are as large: a map has as many points where one team begins as where the other does.
// The game takes a team from half a second after a player has joined, and a class from half a second
// after that.
choose_teams() {
	new counts[4]
	for (new i = 0; i < g_first_new; i++) counts[get_user_team(g_players[i]) & 3]++
	for (new i = g_first_new; i < g_count; i++) {
		new const team = counts[2] > counts[1] ? 1 : 2
		counts[team]++
		engclient_cmd(g_players[i], "jointeam", team == 1 ? "1" : "2")
	}
}

choose_classes(first) {
	for (new i = first; i < g_count; i++) engclient_cmd(g_players[i], "joinclass", "1")
}

press(button) {
	for (new i = 0; i < g_count; i++) g_buttons[g_players[i]] = button
}

plant() {
	new const id = of_team(1)
	new Float:site[3] = { 0.0, 0.0, 40.0 }
	set_pev(id, pev_origin, site)
	give(id, "weapon_c4")
	engclient_cmd(id, "weapon_c4")
	g_buttons[id] = IN_ATTACK
}

// Those of the game library and of YaPB, where they are enabled.
ask_for_bots(count) {
	if (cvar_exists("bot_quota")) set_cvar_num("bot_quota", count)
	if (cvar_exists("yb_quota")) set_cvar_num("yb_quota", count)
}

// A line for each that has joined.
tell_bots() {
	for (new id = 1; id <= get_maxplayers(); id++) {
		if (is_user_connected(id) && is_user_bot(id) && !is_ours(id)) server_print("%s joined", g_word)
	}
}

bool:is_ours(id) {
	for (new i = 0; i < g_count; i++) {
		if (g_players[i] == id) return true
	}
	return false
}

// As many as the server has room for.
crowd() {
	static name[32]
	g_first_new = g_count
	for (new i = g_count; i < get_maxplayers(); i++) {
		formatex(name, charsmax(name), "Player %d", i + 1)
		join(name)
	}
}
