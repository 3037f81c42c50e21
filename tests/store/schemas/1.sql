CREATE TABLE meta (
	name VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY (name)
);
CREATE TABLE runs (
	run_id VARCHAR(64) NOT NULL, 
	scenario_hash VARCHAR(64) NOT NULL, 
	seed BIGINT NOT NULL, 
	replication INTEGER NOT NULL, 
	engine VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	failure TEXT, 
	fingerprint VARCHAR, 
	started_at VARCHAR NOT NULL, 
	ended_at VARCHAR NOT NULL, 
	wall_seconds FLOAT NOT NULL, 
	events BIGINT, 
	scenario TEXT NOT NULL, 
	metrics JSON, 
	work JSON, 
	PRIMARY KEY (run_id)
);
CREATE INDEX ix_runs_scenario_hash ON runs (scenario_hash);
CREATE TABLE running (
	run_id VARCHAR(64) NOT NULL, 
	process VARCHAR NOT NULL, 
	heard_at VARCHAR NOT NULL, 
	PRIMARY KEY (run_id, process)
);
CREATE TABLE flows (
	run_id VARCHAR(64) NOT NULL, 
	position INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	flavor VARCHAR NOT NULL, 
	measures JSON NOT NULL, 
	PRIMARY KEY (run_id, position), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
CREATE TABLE ports (
	run_id VARCHAR(64) NOT NULL, 
	position INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	policy VARCHAR NOT NULL, 
	measures JSON NOT NULL, 
	PRIMARY KEY (run_id, position), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
INSERT INTO meta VALUES ('schema_version', '1');
INSERT INTO runs VALUES ('156953077675b338d453a705a32dea5fbab6fd53ba6b07114572d7e7b01d0bb0', '2b8787f60ac7e9505d31ba1bd7ccdea01b64c9c2082f192995f87339851c8588', 1, 1, '0.1.0+model.1', 'done', NULL, '053e5d7d66d1dc1e', '2026-11-21T14:38:48.108+00:00', '2026-11-21T14:38:49.116+00:00', 1.008055, 6436910, '{"duration_ps":10000000000000,"framing":{"encapsulation":"llc-snap","kind":"aal5","lost_last_cell":"corrupts-next-packet"},"measure":{"throughput":"in-order"},"port":{"arrival_order":"seeded-random","buffer_cells":1000,"counts_cell_in_service":false,"policy":{"discards_remainder":true,"kind":"fba","threshold":0.9,"z":0.8}},"replication":1,"schema_version":1,"seed":1,"tcp":{"acknowledgments":{"kind":"immediate"},"acknowledgments_per_increment":1,"cwnd_limit":"receiver-window","delayed_retransmit":false,"flavor":{"kind":"vanilla"},"handshake":false,"idle_restart":"keep","initial_ssthresh":"receiver-window","initial_window":"1 MSS","limited_transmit":false,"mss_bytes":512,"nagle":false,"out_of_order":"keep","receiver_window_bytes":65535,"retransmission_timeout":{"initial_ps":3000000000000,"kind":"bsd-integer","maximum_ps":64000000000000,"minimum_ticks":2},"round_trips_in_recovery":"measured","sack_blocks":3,"sack_option_size":"padded","silly_window_avoidance":true,"slow_start_at_ssthresh":false,"slow_start_growth":"per-acknowledgment","ssthresh_rule":"as-printed","timer_granularity_ps":100000000000,"timer_phase":"common","timestamps":false,"window_after_loss":"ssthresh","window_arithmetic":"floating-point","window_scale":0},"topology":{"access":{"delay_ps":5000000,"rate_bps":155520000},"bottleneck":{"delay_ps":5000000,"rate_bps":155520000},"kind":"n-source","sources":5},"traffic":{"kind":"infinite","stagger_ps":0,"start":"uniform(0 s, 1 ms)"}}', '{"efficiency": 0.5198874691358024, "fairness": 0.8178444650684524, "goodput_bps": 65089126.39999999, "max_goodput_bps": 125198490.56603773, "max_queue_cells": 1000, "mean_queue_cells": 165.0515596296281, "cell_loss_ratio": 0.012249237952408799, "timeouts": 128, "packets_lost": 0}', '{"events": 6436910, "cell_hops": 6757323, "packet_hops": 963906}');
INSERT INTO runs VALUES ('20d746a56ed2fea073f3a471b93f672eecfffe4247ed7b47a78274a6bc970944', 'effed413554e35090791ad1fb42175c050ce03e04e5546351e708c20659e7d57', 1, 2, '0.1.0+model.1', 'done', NULL, '3e7fe53ca857d12a', '2026-11-21T14:38:43.364+00:00', '2026-11-21T14:38:44.004+00:00', 0.639685, 5030634, '{"duration_ps":10000000000000,"framing":{"encapsulation":"llc-snap","kind":"aal5","lost_last_cell":"corrupts-next-packet"},"measure":{"throughput":"in-order"},"port":{"arrival_order":"seeded-random","buffer_cells":1000,"counts_cell_in_service":false,"policy":{"discards_remainder":true,"kind":"epd","threshold":"K - 200 cells"}},"replication":2,"schema_version":1,"seed":1,"tcp":{"acknowledgments":{"kind":"immediate"},"acknowledgments_per_increment":1,"cwnd_limit":"receiver-window","delayed_retransmit":false,"flavor":{"kind":"vanilla"},"handshake":false,"idle_restart":"keep","initial_ssthresh":"receiver-window","initial_window":"1 MSS","limited_transmit":false,"mss_bytes":512,"nagle":false,"out_of_order":"keep","receiver_window_bytes":65535,"retransmission_timeout":{"initial_ps":3000000000000,"kind":"bsd-integer","maximum_ps":64000000000000,"minimum_ticks":2},"round_trips_in_recovery":"measured","sack_blocks":3,"sack_option_size":"padded","silly_window_avoidance":true,"slow_start_at_ssthresh":false,"slow_start_growth":"per-acknowledgment","ssthresh_rule":"as-printed","timer_granularity_ps":100000000000,"timer_phase":"common","timestamps":false,"window_after_loss":"ssthresh","window_arithmetic":"floating-point","window_scale":0},"topology":{"access":{"delay_ps":5000000,"rate_bps":155520000},"bottleneck":{"delay_ps":5000000,"rate_bps":155520000},"kind":"n-source","sources":5},"traffic":{"kind":"infinite","stagger_ps":0,"start":"uniform(0 s, 1 ms)"}}', '{"efficiency": 0.4055383333333334, "fairness": 0.8060214546500784, "goodput_bps": 50772787.2, "max_goodput_bps": 125198490.56603773, "max_queue_cells": 816, "mean_queue_cells": 80.0417123456742, "cell_loss_ratio": 0.007136527628330907, "timeouts": 131, "packets_lost": 0}', '{"events": 5030634, "cell_hops": 5281404, "packet_hops": 753842}');
INSERT INTO flows VALUES ('156953077675b338d453a705a32dea5fbab6fd53ba6b07114572d7e7b01d0bb0', 0, 'flow 1', 'vanilla', '{"goodput_bps": 12116377.6, "bytes_delivered": 15145472, "segments_sent": 30020, "segments_retransmitted": 352, "timeouts": 28, "fast_retransmits": 0, "max_cwnd_bytes": 65535.0, "finished_s": null}');
INSERT INTO flows VALUES ('156953077675b338d453a705a32dea5fbab6fd53ba6b07114572d7e7b01d0bb0', 1, 'flow 2', 'vanilla', '{"goodput_bps": 15687680.0, "bytes_delivered": 19609600, "segments_sent": 39397, "segments_retransmitted": 1067, "timeouts": 21, "fast_retransmits": 0, "max_cwnd_bytes": 50176.0, "finished_s": null}');
INSERT INTO flows VALUES ('156953077675b338d453a705a32dea5fbab6fd53ba6b07114572d7e7b01d0bb0', 2, 'flow 3', 'vanilla', '{"goodput_bps": 8244428.8, "bytes_delivered": 10305536, "segments_sent": 20476, "segments_retransmitted": 319, "timeouts": 29, "fast_retransmits": 0, "max_cwnd_bytes": 65334.26042326564, "finished_s": null}');
INSERT INTO flows VALUES ('156953077675b338d453a705a32dea5fbab6fd53ba6b07114572d7e7b01d0bb0', 3, 'flow 4', 'vanilla', '{"goodput_bps": 5760204.8, "bytes_delivered": 7200256, "segments_sent": 14330, "segments_retransmitted": 237, "timeouts": 31, "fast_retransmits": 0, "max_cwnd_bytes": 44032.0, "finished_s": null}');
INSERT INTO flows VALUES ('156953077675b338d453a705a32dea5fbab6fd53ba6b07114572d7e7b01d0bb0', 4, 'flow 5', 'vanilla', '{"goodput_bps": 23280435.2, "bytes_delivered": 29100544, "segments_sent": 58172, "segments_retransmitted": 1245, "timeouts": 19, "fast_retransmits": 0, "max_cwnd_bytes": 65535.0, "finished_s": null}');
INSERT INTO flows VALUES ('20d746a56ed2fea073f3a471b93f672eecfffe4247ed7b47a78274a6bc970944', 0, 'flow 1', 'vanilla', '{"goodput_bps": 8592588.8, "bytes_delivered": 10740736, "segments_sent": 21286, "segments_retransmitted": 285, "timeouts": 27, "fast_retransmits": 0, "max_cwnd_bytes": 65535.0, "finished_s": null}');
INSERT INTO flows VALUES ('20d746a56ed2fea073f3a471b93f672eecfffe4247ed7b47a78274a6bc970944', 1, 'flow 2', 'vanilla', '{"goodput_bps": 6260326.4, "bytes_delivered": 7825408, "segments_sent": 15634, "segments_retransmitted": 340, "timeouts": 29, "fast_retransmits": 0, "max_cwnd_bytes": 56487.556802674735, "finished_s": null}');
INSERT INTO flows VALUES ('20d746a56ed2fea073f3a471b93f672eecfffe4247ed7b47a78274a6bc970944', 2, 'flow 3', 'vanilla', '{"goodput_bps": 11266048.0, "bytes_delivered": 14082560, "segments_sent": 28061, "segments_retransmitted": 520, "timeouts": 24, "fast_retransmits": 0, "max_cwnd_bytes": 61958.14402641307, "finished_s": null}');
INSERT INTO flows VALUES ('20d746a56ed2fea073f3a471b93f672eecfffe4247ed7b47a78274a6bc970944', 3, 'flow 4', 'vanilla', '{"goodput_bps": 19247923.2, "bytes_delivered": 24059904, "segments_sent": 47940, "segments_retransmitted": 840, "timeouts": 20, "fast_retransmits": 0, "max_cwnd_bytes": 65535.0, "finished_s": null}');
INSERT INTO flows VALUES ('20d746a56ed2fea073f3a471b93f672eecfffe4247ed7b47a78274a6bc970944', 4, 'flow 5', 'vanilla', '{"goodput_bps": 5405900.8, "bytes_delivered": 6757376, "segments_sent": 13471, "segments_retransmitted": 237, "timeouts": 31, "fast_retransmits": 0, "max_cwnd_bytes": 54987.172542361346, "finished_s": null}');
INSERT INTO ports VALUES ('156953077675b338d453a705a32dea5fbab6fd53ba6b07114572d7e7b01d0bb0', 0, 'bottleneck', 'fba', '{"max_queue_cells": 1000, "mean_queue_cells": 165.0515596296281, "cells_in": 1947713, "cells_out": 1923854, "cells_dropped": 23858, "packets_dropped": 1989, "utilization": 0.5245075205761317}');
INSERT INTO ports VALUES ('20d746a56ed2fea073f3a471b93f672eecfffe4247ed7b47a78274a6bc970944', 0, 'bottleneck', 'epd', '{"max_queue_cells": 816, "mean_queue_cells": 80.0417123456742, "cells_in": 1516704, "cells_out": 1505880, "cells_dropped": 10824, "packets_dropped": 902, "utilization": 0.41055370370370375}');
INSERT INTO running VALUES ('ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff', 'host:4711', '2026-11-21T14:00:00.000+00:00');
