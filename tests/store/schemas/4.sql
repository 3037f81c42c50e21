CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('4');
CREATE TABLE completions (
	run_id VARCHAR(64) NOT NULL, 
	position INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	measures JSON NOT NULL, 
	PRIMARY KEY (run_id, position), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
INSERT INTO "completions" VALUES('24518e500571c0f89a9eea915bd49a5e4f61e35c448bf2b23a0b2f801986b65a',0,'class 0','{"asked": 5, "delivered": 5, "times": {"count": 5, "sum_us": 624119, "min_us": 10202, "max_us": 416135, "bins_us": [[10176, 10240, 3], [177152, 178176, 1], [415744, 417792, 1]]}}');
INSERT INTO "completions" VALUES('24518e500571c0f89a9eea915bd49a5e4f61e35c448bf2b23a0b2f801986b65a',1,'class 1','{"asked": 2, "delivered": 2, "times": {"count": 2, "sum_us": 32832, "min_us": 11606, "max_us": 21226, "bins_us": [[11584, 11648, 1], [21120, 21248, 1]]}}');
INSERT INTO "completions" VALUES('24518e500571c0f89a9eea915bd49a5e4f61e35c448bf2b23a0b2f801986b65a',2,'class 2','{"asked": 2, "delivered": 2, "times": {"count": 2, "sum_us": 607768, "min_us": 63390, "max_us": 544378, "bins_us": [[63232, 63488, 1], [540672, 544768, 1]]}}');
INSERT INTO "completions" VALUES('24518e500571c0f89a9eea915bd49a5e4f61e35c448bf2b23a0b2f801986b65a',3,'class 3','{"asked": 1, "delivered": 1, "times": {"count": 1, "sum_us": 444349, "min_us": 444349, "max_us": 444349, "bins_us": [[442368, 444416, 1]]}}');
INSERT INTO "completions" VALUES('24518e500571c0f89a9eea915bd49a5e4f61e35c448bf2b23a0b2f801986b65a',4,'class 4','{"asked": 0, "delivered": 0, "times": {"count": 0, "sum_us": 0, "min_us": null, "max_us": null, "bins_us": []}}');
INSERT INTO "completions" VALUES('24518e500571c0f89a9eea915bd49a5e4f61e35c448bf2b23a0b2f801986b65a',5,'page','{"asked": 2, "delivered": 2, "times": {"count": 2, "sum_us": 2886445, "min_us": 1231208, "max_us": 1655237, "bins_us": [[1228800, 1236992, 1], [1654784, 1662976, 1]]}}');
INSERT INTO "completions" VALUES('d4df4235fda97aa711d3ea86e2ca5eedffa071a49fb11cd765dfa025176b35cb',0,'class 0','{"asked": 5, "delivered": 5, "times": {"count": 5, "sum_us": 52171, "min_us": 10202, "max_us": 11281, "bins_us": [[10176, 10240, 3], [10240, 10304, 1], [11264, 11328, 1]]}}');
INSERT INTO "completions" VALUES('d4df4235fda97aa711d3ea86e2ca5eedffa071a49fb11cd765dfa025176b35cb',1,'class 1','{"asked": 2, "delivered": 2, "times": {"count": 2, "sum_us": 32832, "min_us": 11606, "max_us": 21226, "bins_us": [[11584, 11648, 1], [21120, 21248, 1]]}}');
INSERT INTO "completions" VALUES('d4df4235fda97aa711d3ea86e2ca5eedffa071a49fb11cd765dfa025176b35cb',2,'class 2','{"asked": 2, "delivered": 2, "times": {"count": 2, "sum_us": 85485, "min_us": 22095, "max_us": 63390, "bins_us": [[22016, 22144, 1], [63232, 63488, 1]]}}');
INSERT INTO "completions" VALUES('d4df4235fda97aa711d3ea86e2ca5eedffa071a49fb11cd765dfa025176b35cb',3,'class 3','{"asked": 1, "delivered": 1, "times": {"count": 1, "sum_us": 137118, "min_us": 137118, "max_us": 137118, "bins_us": [[136192, 137216, 1]]}}');
INSERT INTO "completions" VALUES('d4df4235fda97aa711d3ea86e2ca5eedffa071a49fb11cd765dfa025176b35cb',4,'class 4','{"asked": 0, "delivered": 0, "times": {"count": 0, "sum_us": 0, "min_us": null, "max_us": null, "bins_us": []}}');
INSERT INTO "completions" VALUES('d4df4235fda97aa711d3ea86e2ca5eedffa071a49fb11cd765dfa025176b35cb',5,'page','{"asked": 2, "delivered": 2, "times": {"count": 2, "sum_us": 2481591, "min_us": 826354, "max_us": 1655237, "bins_us": [[823296, 827392, 1], [1654784, 1662976, 1]]}}');
CREATE TABLE flows (
	run_id VARCHAR(64) NOT NULL, 
	position INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	flavor VARCHAR NOT NULL, 
	measures JSON NOT NULL, 
	PRIMARY KEY (run_id, position), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
INSERT INTO "flows" VALUES('24518e500571c0f89a9eea915bd49a5e4f61e35c448bf2b23a0b2f801986b65a',0,'flow 1','vanilla','{"goodput_bps": 248218.66666666666, "bytes_delivered": 93082, "segments_sent": 112, "segments_retransmitted": 20, "timeouts": 1, "fast_retransmits": 0, "duplicate_acknowledgments": 23, "max_cwnd_bytes": 65535.0, "round_trips": {"count": 8, "mean_s": 0.01026457925, "min_s": 0.010189587748, "max_s": 0.010289575957}, "started_s": 0.111861261047, "finished_s": null, "requests": {"made": 4, "answered": 4, "files_delivered": 4, "offered_bps": 248218.66666666666, "segments_sent": 4, "segments_retransmitted": 0, "timeouts": 0}}');
INSERT INTO "flows" VALUES('24518e500571c0f89a9eea915bd49a5e4f61e35c448bf2b23a0b2f801986b65a',1,'flow 2','vanilla','{"goodput_bps": 1405746.6666666667, "bytes_delivered": 527155, "segments_sent": 546, "segments_retransmitted": 30, "timeouts": 1, "fast_retransmits": 0, "duplicate_acknowledgments": 71, "max_cwnd_bytes": 65535.0, "round_trips": {"count": 20, "mean_s": 0.0102977385, "min_s": 0.010183479474, "max_s": 0.010920355555}, "started_s": 0.268401299536, "finished_s": null, "requests": {"made": 6, "answered": 6, "files_delivered": 6, "offered_bps": 1405746.6666666667, "segments_sent": 6, "segments_retransmitted": 0, "timeouts": 0}}');
INSERT INTO "flows" VALUES('d4df4235fda97aa711d3ea86e2ca5eedffa071a49fb11cd765dfa025176b35cb',0,'flow 1','vanilla','{"goodput_bps": 248218.66666666666, "bytes_delivered": 93082, "segments_sent": 92, "segments_retransmitted": 0, "timeouts": 0, "fast_retransmits": 0, "duplicate_acknowledgments": 0, "max_cwnd_bytes": 65535.0, "round_trips": {"count": 10, "mean_s": 0.010364923, "min_s": 0.010189587748, "max_s": 0.011262374406}, "started_s": 0.111861261047, "finished_s": null, "requests": {"made": 4, "answered": 4, "files_delivered": 4, "offered_bps": 248218.66666666666, "segments_sent": 4, "segments_retransmitted": 0, "timeouts": 0}}');
INSERT INTO "flows" VALUES('d4df4235fda97aa711d3ea86e2ca5eedffa071a49fb11cd765dfa025176b35cb',1,'flow 2','vanilla','{"goodput_bps": 1405746.6666666667, "bytes_delivered": 527155, "segments_sent": 516, "segments_retransmitted": 0, "timeouts": 0, "fast_retransmits": 0, "duplicate_acknowledgments": 0, "max_cwnd_bytes": 65535.0, "round_trips": {"count": 17, "mean_s": 0.011655222, "min_s": 0.010183479474, "max_s": 0.0136528}, "started_s": 0.268401299536, "finished_s": null, "requests": {"made": 6, "answered": 6, "files_delivered": 6, "offered_bps": 1405746.6666666667, "segments_sent": 6, "segments_retransmitted": 0, "timeouts": 0}}');
CREATE TABLE leases (
	run_id VARCHAR(64) NOT NULL, 
	worker VARCHAR NOT NULL, 
	PRIMARY KEY (run_id), 
	FOREIGN KEY(worker) REFERENCES workers (worker) ON DELETE CASCADE
);
CREATE TABLE meta (
	name VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "meta" VALUES('schema_version','4');
CREATE TABLE ports (
	run_id VARCHAR(64) NOT NULL, 
	position INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	policy VARCHAR NOT NULL, 
	measures JSON NOT NULL, 
	PRIMARY KEY (run_id, position), 
	FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
INSERT INTO "ports" VALUES('24518e500571c0f89a9eea915bd49a5e4f61e35c448bf2b23a0b2f801986b65a',0,'bottleneck','epd','{"max_queue_cells": 495, "mean_queue_cells": 4.217669333333333, "cells_in": 15104, "cells_out": 14644, "cells_dropped": 460, "packets_dropped": 20, "utilization": 0.04599300740740741}');
INSERT INTO "ports" VALUES('d4df4235fda97aa711d3ea86e2ca5eedffa071a49fb11cd765dfa025176b35cb',0,'bottleneck','epd','{"max_queue_cells": 730, "mean_queue_cells": 13.653582044443667, "cells_in": 13954, "cells_out": 13954, "cells_dropped": 0, "packets_dropped": 0, "utilization": 0.043825896296296296}');
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
	build VARCHAR, model INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (run_id)
);
INSERT INTO "runs" VALUES('d4df4235fda97aa711d3ea86e2ca5eedffa071a49fb11cd765dfa025176b35cb','4cf4d127ffd6f5c23400d6167cae6c25cc5ce268d0c84d279f5dc9eb0b1e49d3',1,0,'0.1.0+model.2','done',NULL,'4d45b86ddd4adc82','2026-11-25T13:21:51.814+00:00','2026-11-25T13:21:51.814+00:00',0.000235,44405,'{"duration_ps":3000000000000,"framing":{"encapsulation":"llc-snap","kind":"aal5","lost_last_cell":"corrupts-next-packet"},"measure":{"throughput":"in-order"},"port":{"arrival_order":"seeded-random","buffer_cells":1062,"counts_cell_in_service":false,"policy":{"discards_remainder":true,"kind":"epd","threshold":0.8}},"replication":0,"schema_version":1,"seed":1,"tcp":{"acknowledgments":{"kind":"immediate"},"acknowledgments_per_increment":1,"cwnd_limit":"receiver-window","delayed_retransmit":false,"flavor":{"kind":"vanilla"},"handshake":false,"idle_restart":"keep","initial_ssthresh":"receiver-window","initial_window":"1 MSS","limited_transmit":false,"mss_bytes":1024,"nagle":false,"out_of_order":"keep","receiver_window_bytes":65535,"retransmission_timeout":{"initial_ps":3000000000000,"kind":"bsd-integer","maximum_ps":64000000000000,"minimum_ticks":2},"round_trips_in_recovery":"measured","sack_blocks":3,"sack_option_size":"padded","silly_window_avoidance":true,"slow_start_at_ssthresh":true,"slow_start_growth":"per-acknowledgment","ssthresh_rule":"as-printed","timer_granularity_ps":100000000000,"timer_phase":"common","timestamps":false,"window_after_loss":"ssthresh","window_arithmetic":"floating-point","window_scale":0},"topology":{"access":{"delay_ps":5000000,"rate_bps":155520000},"bottleneck":{"delay_ps":5000000000,"rate_bps":45000000},"kind":"n-source","sources":2},"traffic":{"classes":[{"probability":0.2,"unit":0.1},{"probability":0.28,"unit":1.0},{"probability":0.4,"unit":10.0},{"probability":0.112,"unit":100.0},{"probability":0.008,"unit":1000.0}],"clock":"start-to-start","file_size":{"beyond":"redraw","mean":5.0,"most":9},"first_request_waits":true,"interval_ps":10000000000000,"kilobyte_bytes":1024,"kind":"www","request_bytes":128,"requests":{"beyond":"redraw","mean":5.0,"most":9},"spacing":"uniform(100 ms, 500 ms)","stagger_ps":0,"start":"0 s"}}','{"efficiency": 0.04375398744212964, "fairness": 0.6712353953023735, "goodput_bps": 1653965.3333333335, "max_goodput_bps": 37801476.62018047, "max_queue_cells": 730, "mean_queue_cells": 13.653582044443667, "cell_loss_ratio": 0.0, "timeouts": 0, "packets_lost": 0, "offered_bps": 1653965.3333333335, "max_min_fairness": 1.0, "mean_round_trip_s": 0.011010072499999999, "share_useful": 0.04376308148066666, "share_duplicate": 0.0, "share_beyond_hole": 0.0, "share_incomplete": 0.0, "share_vbr": 0.0, "share_background": 0.0, "share_control": 6.281481466666667e-05, "share_under_way": 0.0, "share_idle_receiver_window": 0.0, "share_idle_congestion_avoidance": 0.0, "share_idle_recovery": 0.0, "share_idle_slow_start": 0.02474647296433333, "share_idle_opening": 0.0, "share_idle_timeout": 0.0, "share_idle_no_data": 0.9314276307403334}','{"events": 44405, "cell_hops": 45630, "packet_hops": 3708, "driver": "fast"}','e79ddbda9d9c4fe7',2);
INSERT INTO "runs" VALUES('24518e500571c0f89a9eea915bd49a5e4f61e35c448bf2b23a0b2f801986b65a','222611e28f9f2910a9fedb0e6216eaa8e99cd2bee227281a844ea6a7fdd828c0',1,0,'0.1.0+model.2','done',NULL,'fba222b343dc33a3','2026-11-25T13:21:51.713+00:00','2026-11-25T13:21:51.814+00:00',0.100756,47074,'{"duration_ps":3000000000000,"framing":{"encapsulation":"llc-snap","kind":"aal5","lost_last_cell":"corrupts-next-packet"},"measure":{"throughput":"in-order"},"port":{"arrival_order":"seeded-random","buffer_cells":600,"counts_cell_in_service":false,"policy":{"discards_remainder":true,"kind":"epd","threshold":0.8}},"replication":0,"schema_version":1,"seed":1,"tcp":{"acknowledgments":{"kind":"immediate"},"acknowledgments_per_increment":1,"cwnd_limit":"receiver-window","delayed_retransmit":false,"flavor":{"kind":"vanilla"},"handshake":false,"idle_restart":"keep","initial_ssthresh":"receiver-window","initial_window":"1 MSS","limited_transmit":false,"mss_bytes":1024,"nagle":false,"out_of_order":"keep","receiver_window_bytes":65535,"retransmission_timeout":{"initial_ps":3000000000000,"kind":"bsd-integer","maximum_ps":64000000000000,"minimum_ticks":2},"round_trips_in_recovery":"measured","sack_blocks":3,"sack_option_size":"padded","silly_window_avoidance":true,"slow_start_at_ssthresh":true,"slow_start_growth":"per-acknowledgment","ssthresh_rule":"as-printed","timer_granularity_ps":100000000000,"timer_phase":"common","timestamps":false,"window_after_loss":"ssthresh","window_arithmetic":"floating-point","window_scale":0},"topology":{"access":{"delay_ps":5000000,"rate_bps":155520000},"bottleneck":{"delay_ps":5000000000,"rate_bps":45000000},"kind":"n-source","sources":2},"traffic":{"classes":[{"probability":0.2,"unit":0.1},{"probability":0.28,"unit":1.0},{"probability":0.4,"unit":10.0},{"probability":0.112,"unit":100.0},{"probability":0.008,"unit":1000.0}],"clock":"start-to-start","file_size":{"beyond":"redraw","mean":5.0,"most":9},"first_request_waits":true,"interval_ps":10000000000000,"kilobyte_bytes":1024,"kind":"www","request_bytes":128,"requests":{"beyond":"redraw","mean":5.0,"most":9},"spacing":"uniform(100 ms, 500 ms)","stagger_ps":0,"start":"0 s"}}','{"efficiency": 0.04375398744212964, "fairness": 0.6712353953023735, "goodput_bps": 1653965.3333333335, "max_goodput_bps": 37801476.62018047, "max_queue_cells": 495, "mean_queue_cells": 4.217669333333333, "cell_loss_ratio": 0.03045550847457627, "timeouts": 2, "packets_lost": 0, "offered_bps": 1653965.3333333335, "max_min_fairness": 1.0, "mean_round_trip_s": 0.010281158875, "share_useful": 0.043763081481, "share_duplicate": 0.0021671111109999998, "share_beyond_hole": 0.0, "share_incomplete": 0.0, "share_vbr": 0.0, "share_background": 0.0, "share_control": 6.2814815e-05, "share_under_way": 0.0, "share_idle_receiver_window": 0.003347341151666667, "share_idle_congestion_avoidance": 0.0054272, "share_idle_recovery": 0.0, "share_idle_slow_start": 0.045392161853, "share_idle_opening": 0.0, "share_idle_timeout": 0.10598741524733334, "share_idle_no_data": 0.7938528743409999}','{"events": 47074, "cell_hops": 48340, "packet_hops": 3908, "driver": "fast"}','e79ddbda9d9c4fe7',2);
CREATE TABLE workers (
	worker VARCHAR NOT NULL, 
	place VARCHAR NOT NULL, 
	pid BIGINT NOT NULL, 
	born BIGINT NOT NULL, 
	jobs INTEGER NOT NULL, 
	beat BIGINT NOT NULL, 
	heard_at VARCHAR NOT NULL, 
	PRIMARY KEY (worker)
);
CREATE INDEX ix_runs_status ON runs (run_id, status);
CREATE INDEX ix_leases_worker ON leases (worker);
CREATE INDEX ix_runs_planned ON runs (model, scenario_hash, seed, replication, status, wall_seconds);
CREATE INDEX ix_runs_maker ON runs (model, build, scenario_hash);
